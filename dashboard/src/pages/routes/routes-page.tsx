import { usePlaceParts, useUrlState } from '../../shell/place.ts'
import { NewRoutePage } from './new-route-page.tsx'
import { RoutePage } from './route-page.tsx'
import { RoutesList } from './routes-list.tsx'

/** The list, one route by its alias, or a new one: `?new=1`, because every name below /routes may be an alias. */
export function RoutesPage() {
  // An alias may hold slashes; in a link that somebody typed they stand as they are.
  const alias = usePlaceParts().join('/')
  const [search] = useUrlState()
  if (alias !== '') return <RoutePage key={alias} alias={alias} />
  if (search['new'] !== undefined) return <NewRoutePage key={JSON.stringify(search)} />
  return <RoutesList />
}
