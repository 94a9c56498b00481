import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useMay } from '../api/session.ts'
import { PAGES } from './pages.ts'
import { usePath } from './place.ts'

export function NavigationList() {
  const path = usePath()
  const may = useMay()
  const [location] = useLocation()
  const current = location.split('/')[2]
  return (
    <Stack component="nav" aria-label="Pages" gap="md" style={{ overflowY: 'auto' }}>
      {PAGES.map(({ heading, pages }) => (
        <Stack key={heading} gap={2}>
          <Text size="xs" c="dimmed" fw={600} px="sm" pb={2}>
            {heading}
          </Text>
          {pages
            .filter(({ needs }) => may(needs))
            .map(({ name, title, icon: Icon }) => (
              <NavLink
                key={name}
                component={Link}
                href={path(name)}
                label={title}
                leftSection={<Icon size={17} strokeWidth={1.8} aria-hidden />}
                active={current === name}
                aria-current={current === name ? 'page' : undefined}
                py={6}
                bdrs="md"
                fw={current === name ? 600 : 450}
              />
            ))}
        </Stack>
      ))}
    </Stack>
  )
}
