import '@mantine/spotlight/styles.css'
import { Button, Kbd, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { BookOpen, KeyRound, type LucideIcon, Plus, Route, Search, Server, Settings, SunMoon } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAll, useOperation } from '../api/hooks.ts'
import { keySearch } from '../format/key-search.ts'
import { PAGES } from './pages.ts'
import { usePaletteActions } from './palette-actions.ts'
import { usePath, useWorkspace } from './place.ts'

/** Of models and keys, of which there may be thousands. */
const MOST = 8

const SETTINGS = [
  { label: 'Workspaces', place: 'workspaces' },
  { label: 'People', place: 'people' },
  { label: 'Admin keys', place: 'admin-keys' },
  { label: 'Sessions', place: 'sessions' },
  { label: 'Configuration', place: 'configuration' },
  { label: 'Ledger and secrets', place: 'ledger' },
  { label: 'About', place: 'about' },
]

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
      attributes={{ content: { 'aria-label': 'Search pages, actions, routes, keys, models and requests' } }}
      scrollable
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'A page, an action, a route, a key, a model, a request id …',
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
  return [
    {
      group: 'Settings',
      actions: SETTINGS.map(({ label, place }) => entry(Settings, `settings-${place}`, label, path('settings', place))),
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
  return [
    {
      group: 'Requests',
      actions: wanted.startsWith('chatcmpl_')
        ? [{ id: wanted, label: wanted, onClick: () => navigate(path('requests', wanted)) }]
        : [],
    },
    {
      group: 'Pages',
      actions: PAGES.flatMap(({ pages }) => pages).map(({ name, title, icon }) =>
        entry(icon, `page-${name}`, title, path(name)),
      ),
    },
    {
      group: 'Actions',
      actions: actions.map(({ label, place, opens }) =>
        entry(Plus, `action-${label}`, label, `${path(...place)}?${opens}=1`),
      ),
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
      actions: [
        ...models.slice(0, MOST).map(({ id }) => entry(BookOpen, `model-${id}`, id, path('catalog', id))),
        ...(wanted === ''
          ? []
          : [
              {
                ...entry(
                  BookOpen,
                  'catalog-search',
                  `Find “${wanted}” in the catalog`,
                  `${path('catalog')}?search=${encodeURIComponent(wanted)}`,
                ),
                keywords: [wanted],
              },
            ]),
      ],
    },
  ].filter(({ actions: found }) => found.length > 0)
}

/** Searched by the gateway: there may be thousands. */
function useFoundKeys(workspace: string, wanted: string) {
  const [search] = useDebouncedValue(keySearch(wanted), 150)
  const query = { workspace, state: 'live', search, limit: MOST } as const
  const found = useOperation('keys.list', { query }, { enabled: search !== '' })
  return wanted === '' ? [] : (found.data?.data ?? [])
}
