import '@mantine/spotlight/styles.css'
import { Button, Kbd, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import {
  BookOpen,
  Coins,
  KeyRound,
  type LucideIcon,
  Plus,
  Route,
  Search,
  Server,
  Settings,
  SunMoon,
} from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAll, useOperation } from '../api/hooks.ts'
import { useMay } from '../api/session.ts'
import { useSettingsTabs } from '../api/settings-tabs.ts'
import { keySearch } from '../format/key-search.ts'
import { PAGES } from './pages.ts'
import { PAGE_KEYWORDS, usePaletteActions } from './palette-actions.ts'
import { usePath, useWorkspace } from './place.ts'

/** Of models and keys, of which there may be thousands. */
const MOST = 8

const THEMES = [
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
  { value: 'auto', label: 'System theme' },
] as const

export function PaletteButton() {
  return (
    <Button
      variant="default"
      c="dimmed"
      fw={450}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={
        <Kbd size="xs" visibleFrom="md" aria-hidden>
          Ctrl K
        </Kbd>
      }
      onClick={spotlight.open}
    >
      Search
    </Button>
  )
}

/** Pages, actions, routes, keys, models and, by its id, any request: from the keyboard. */
export function Palette() {
  const [text, setText] = useState('')
  const [isOpened, setOpened] = useState(false)
  return (
    <Spotlight
      actions={useFound(text.trim(), isOpened)}
      query={text}
      onQueryChange={setText}
      onSpotlightOpen={() => setOpened(true)}
      shortcut={['mod + K', '/']}
      nothingFound="No matches"
      highlightQuery
      // What is typed next is meant for the page, not for a palette on its way out.
      transitionProps={{ duration: 120, exitDuration: 0 }}
      attributes={{ content: { 'aria-label': 'Search pages, actions, routes, keys, models, sessions and requests' } }}
      scrollable
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'Search pages, actions, routes, keys, models, sessions and request ids',
        'aria-label': 'Search',
      }}
    />
  )
}

/** A line of the list that leads somewhere. */
function useEntry() {
  const [, navigate] = useLocation()
  return (Icon: LucideIcon, id: string, label: string, href: string) => ({
    id,
    label,
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => navigate(href),
  })
}

/** Settings, themes and providers. */
function useMore(isOpened: boolean): SpotlightActionGroupData[] {
  const path = usePath()
  const entry = useEntry()
  const providers = useAll('providers.list', {}, { enabled: isOpened })
  const { setColorScheme } = useMantineColorScheme()
  const tabs = useSettingsTabs()
  return [
    {
      group: 'Settings',
      actions: tabs.map(({ name, title }) => entry(Settings, `settings-${name}`, title, path('settings', name))),
    },
    {
      group: 'Theme',
      actions: THEMES.map(({ value, label }) => ({
        ...entry(SunMoon, `theme-${value}`, label, ''),
        onClick: () => setColorScheme(value),
      })),
    },
    {
      group: 'Providers',
      actions: (providers.data ?? []).map(({ name }) =>
        entry(Server, `provider-${name}`, name, path('providers', name)),
      ),
    },
  ]
}

/** Everything that could be meant; what does not have the wanted text is left out by the list itself. */
function useFound(wanted: string, isOpened: boolean): SpotlightActionGroupData[] {
  const path = usePath()
  const [, navigate] = useLocation()
  const workspace = useWorkspace()
  const actions = usePaletteActions()
  const routes = useAll('routes.list', { query: { workspace } }, { enabled: isOpened })
  const catalog = useAll('catalog.list', { query: { workspace } }, { enabled: isOpened && wanted !== '' })
  const keys = useFoundKeys(workspace, wanted)
  const models = (catalog.data ?? []).filter(
    ({ kind, id }) => kind === 'direct' && wanted !== '' && id.toLowerCase().includes(wanted.toLowerCase()),
  )
  const entry = useEntry()
  const may = useMay()
  return [
    {
      group: 'Requests',
      actions: wanted.startsWith('chatcmpl_')
        ? [{ id: wanted, label: wanted, onClick: () => navigate(path('requests', wanted)) }]
        : [],
    },
    {
      group: 'Pages',
      actions: PAGES.flatMap(({ pages }) => pages)
        .filter(({ needs }) => may(needs))
        .map(({ name, title, icon }) => ({
          ...entry(icon, `page-${name}`, title, path(name)),
          keywords: PAGE_KEYWORDS[name] ?? [],
        })),
    },
    {
      group: 'Actions',
      actions: actions.map(({ label, place, opens, keywords }) => ({
        ...entry(Plus, `action-${label}`, label, `${path(...place)}?${opens}=1`),
        keywords,
      })),
    },
    ...useMore(isOpened),
    {
      group: 'Routes',
      actions: (routes.data ?? []).map(({ alias, description }) => ({
        ...entry(Route, `route-${alias}`, alias, path('routes', alias)),
        description: description ?? '',
      })),
    },
    {
      group: 'Keys',
      actions: keys.map(({ id, name, prefix }) => ({
        ...entry(KeyRound, `key-${id}`, name, path('keys', id)),
        description: `${prefix}…`,
        // A pasted value has more letters than the gateway shows of it.
        keywords: [id, wanted.startsWith(prefix) ? wanted : prefix],
      })),
    },
    {
      group: 'Models',
      actions: models.slice(0, MOST).map(({ id }) => entry(BookOpen, `model-${id}`, id, path('catalog', id))),
    },
    { group: 'Search', actions: useSearches(wanted) },
  ].filter(({ actions: found }) => found.length > 0)
}

/** What the typed text may be, apart from a name in the list. */
function useSearches(wanted: string) {
  const path = usePath()
  const entry = useEntry()
  if (wanted === '') return []
  const session = new URLSearchParams({ workspaces: 'all', group: 'session', session: wanted })
  const catalog = new URLSearchParams({ search: wanted })
  return [
    entry(BookOpen, 'catalog-search', `Find “${wanted}” in the catalog`, `${path('catalog')}?${catalog}`),
    entry(Coins, 'session-cost', `Cost of session “${wanted}”`, `${path('usage')}?${session}`),
  ].map((each) => ({ ...each, keywords: [wanted] }))
}

/** Searched by the gateway: there may be thousands. */
function useFoundKeys(workspace: string, wanted: string) {
  const [search] = useDebouncedValue(keySearch(wanted), 150)
  const query = { workspace, state: 'live', search, limit: MOST } as const
  const found = useOperation('keys.list', { query }, { enabled: search !== '' })
  return wanted === '' ? [] : (found.data?.data ?? [])
}
