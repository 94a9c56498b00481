import { useRefusal } from '../../api/session.ts'
import { usePlaceParts, useUrlState } from '../../shell/place.ts'
import { NewRoutePage } from './new-route-page.tsx'
import { RoutePage } from './route-page.tsx'
import { RoutesList } from './routes-list.tsx'

/** The list, one route by its alias, or a new one: `?new=1`, because every name below /routes may be an alias. */
export function RoutesPage() {
  // An alias may contain slashes; in a typed link they are not encoded.
  const alias = usePlaceParts().join('/')
  const [search] = useUrlState()
  const mayCreate = useRefusal('routes.put') === undefined
  if (alias !== '') return <RoutePage key={alias} alias={alias} />
  if (search['new'] !== undefined && mayCreate) return <NewRoutePage key={JSON.stringify(search)} />
  return <RoutesList />
}
