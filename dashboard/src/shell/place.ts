import { createContext, useContext, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

/** Every page stands below the workspace it shows: /dashboard/WORKSPACE/PAGE. */
export const WorkspaceContext = createContext('default')

export function useWorkspace(): string {
  return useContext(WorkspaceContext)
}

/** Makes the address of a page: `path('routes', alias)`. Each part is encoded, a slash in it too. */
export function usePath(): (...parts: string[]) => string {
  const workspace = useWorkspace()
  return useMemo(
    () =>
      (...parts) =>
        `/${[workspace, ...parts].map(encodeURIComponent).join('/')}`,
    [workspace],
  )
}

/** The parts of the address after the page's name, decoded: `/default/routes/a%2Fb` → ['a/b']. */
export function usePlaceParts(): string[] {
  // Read when the location changes; the browser's own value, because the router decodes some characters and not others.
  useLocation()
  return window.location.pathname
    .replace(/^\/dashboard\//, '')
    .split('/')
    .slice(2)
    .filter((part) => part !== '')
    .map(decodeURIComponent)
}

export type Search = Record<string, string>

/**
 * What the page shows, kept in the address: filters, periods, tabs. Setting a value to null or '' takes it out. A change
 * replaces the entry of the history unless `push` is set, so that "back" leaves the page.
 */
export function useUrlState(): [Search, (change: Record<string, string | null>, options?: { push?: boolean }) => void] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const values = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search])
  function change(changes: Record<string, string | null>, options: { push?: boolean } = {}) {
    const next = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name)
      else next.set(name, value)
    }
    const path = window.location.pathname.replace(/^\/dashboard/, '')
    navigate(next.size === 0 ? path : `${path}?${next}`, { replace: !options.push })
  }
  return [values, change]
}
