import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

export interface PageProps {
  title: string
  description?: ReactNode
  /** Right of the title: the one or two things people come here to do. */
  actions?: ReactNode
  children?: ReactNode
}

/** Title, actions and content, the same way on every page. */
export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Switchyard`
  }, [title])
  return (
    <Stack gap="lg" maw={1360} mx="auto" w="100%">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2}>
          <Title order={1}>{title}</Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {description}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
