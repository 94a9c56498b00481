import '@mantine/spotlight/styles.css'
import { Button, Kbd } from '@mantine/core'
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { BookOpen, Route, Search } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAll } from '../api/hooks.ts'
import { PAGES } from './pages.ts'
import { usePath, useWorkspace } from './place.ts'

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

/** Pages, routes, models and, by its id, any request: from the keyboard. */
export function Palette() {
  const [text, setText] = useState('')
  const path = usePath()
  const [, navigate] = useLocation()
  const workspace = useWorkspace()
  const [isOpened, setOpened] = useState(false)
  const routes = useAll('routes.list', { query: { workspace } }, { enabled: isOpened })
  const wanted = text.trim()
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Pages',
      actions: PAGES.flatMap((group) => group.pages).map(({ name, title, icon: Icon }) => ({
        id: `page-${name}`,
        label: title,
        leftSection: <Icon size={18} aria-hidden />,
        onClick: () => navigate(path(name)),
      })),
    },
    {
      group: 'Routes',
      actions: (routes.data ?? []).map(({ alias, description }) => ({
        id: `route-${alias}`,
        label: alias,
        description: description ?? '',
        leftSection: <Route size={18} aria-hidden />,
        onClick: () => navigate(path('routes', alias)),
      })),
    },
  ]
  if (wanted.startsWith('chatcmpl_')) {
    groups.push({
      group: 'Requests',
      actions: [{ id: wanted, label: wanted, onClick: () => navigate(path('requests', wanted)) }],
    })
  }
  if (wanted !== '') {
    groups.push({
      group: 'Models',
      actions: [
        {
          id: 'catalog-search',
          label: `Find “${wanted}” in the catalog`,
          keywords: [wanted],
          leftSection: <BookOpen size={18} aria-hidden />,
          onClick: () => navigate(`${path('catalog')}?search=${encodeURIComponent(wanted)}`),
        },
      ],
    })
  }
  return (
    <Spotlight
      actions={groups}
      query={text}
      onQueryChange={setText}
      onSpotlightOpen={() => setOpened(true)}
      shortcut={['mod + K', '/']}
      nothingFound="Nothing has this name"
      highlightQuery
      attributes={{ content: { 'aria-label': 'Search pages, routes, models and requests' } }}
      scrollable
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'A page, a route, a model, a request id …',
        'aria-label': 'Search',
      }}
    />
  )
}
