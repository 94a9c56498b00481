import { Button, Center, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert, Inbox, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'

export interface EmptyStateProps {
  title: string
  icon?: LucideIcon
  tone?: 'calm' | 'bad'
  /** What it means and what to do next. */
  children?: ReactNode
}

/** Nothing to show: says why, and what would change it. */
export function EmptyState({ title, icon: Icon = Inbox, tone = 'calm', children }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap={6} maw={460}>
        <ThemeIcon variant="light" color={tone === 'bad' ? 'red' : 'gray'} size={44} radius="xl" mb={4}>
          <Icon size={22} aria-hidden />
        </ThemeIcon>
        <Text fw={600} ta="center">
          {title}
        </Text>
        {children !== undefined && (
          <Text c="dimmed" size="sm" ta="center" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  )
}

/** What is gone or not allowed stays so: trying again is offered for the rest. */
export function ErrorState({ error, retry }: { error: ApiError; retry?: () => void }) {
  const mayHelp = error.status !== 403 && error.status !== 404
  return (
    <EmptyState title={error.message} icon={CircleAlert} tone="bad">
      <Group gap="xs" justify="center">
        <span className="mono">{error.code}</span>
        {retry !== undefined && mayHelp && (
          <Button variant="default" size="xs" leftSection={<RotateCw size={14} aria-hidden />} onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </EmptyState>
  )
}

/** Grey lines where rows will be. */
export function LoadingRows({ rows = 6, height = 20 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="sm" p="md" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey lines are all alike.
        <Skeleton key={index} height={height} width={`${100 - ((index * 7) % 30)}%`} />
      ))}
    </Stack>
  )
}

/**
 * The three faces of something asked for: waiting, failed, there. A failed refresh of what is already there keeps the
 * old figures in sight and says so.
 */
export function Loaded<T>({
  query,
  loading = <LoadingRows />,
  children,
}: {
  query: Pick<UseQueryResult<T, ApiError>, 'data' | 'error' | 'refetch'>
  loading?: ReactNode
  children: (data: NonNullable<T>) => ReactNode
}) {
  const { data, error } = query
  if (data !== undefined && data !== null) {
    return (
      <>
        {error !== null && (
          <Text size="xs" c="var(--bad)" px="md" pt="xs" role="status">
            Not refreshed: {error.message}
          </Text>
        )}
        {children(data as NonNullable<T>)}
      </>
    )
  }
  if (error !== null) return <ErrorState error={error} retry={() => void query.refetch()} />
  return loading
}
