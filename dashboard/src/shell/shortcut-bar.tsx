import { AppShell, Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { PAGES } from './pages.ts'
import { usePath } from './place.ts'
import classes from './shortcut-bar.module.css'

/** What is looked at away from a desk; the logo leads to the overview, the menu to all the rest. */
const NAMES = ['requests', 'usage', 'alerts', 'routes', 'providers']
const SHORTCUTS = PAGES.flatMap(({ pages }) => pages).filter(({ name }) => NAMES.includes(name))

/** On small screens, so that the most used pages are one tap away. */
export function ShortcutBar() {
  const path = usePath()
  const current = useLocation()[0].split('/')[2]
  return (
    <AppShell.Footer hiddenFrom="sm" bg="var(--surface-raised)">
      <Group component="nav" aria-label="Shortcuts" h="100%" gap={0} wrap="nowrap" grow preventGrowOverflow={false}>
        {SHORTCUTS.map(({ name, title, icon: Icon }) => (
          <Link
            key={name}
            href={path(name)}
            className={classes['shortcut'] ?? ''}
            aria-current={current === name ? 'page' : undefined}
          >
            <Icon size={20} strokeWidth={1.8} aria-hidden />
            {title}
          </Link>
        ))}
      </Group>
    </AppShell.Footer>
  )
}
