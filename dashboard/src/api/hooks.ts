import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type ApiError, call, type Input, type Item, type OperationName, type Reply, type Versioned } from './client.ts'

export interface ReadOptions {
  /** Asks again after this many milliseconds, while the page is in front. */
  refetchEvery?: number | undefined
  enabled?: boolean | undefined
}

/** What an operation answers, kept fresh. While other filters load, the former answer stays in sight. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: ReadOptions = {},
): UseQueryResult<Reply<Name>, ApiError> {
  return useQuery<Versioned<Reply<Name>>, ApiError, Reply<Name>>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    select: (answer) => answer.value,
    placeholderData: keepPreviousData,
    refetchInterval: options.refetchEvery ?? false,
    enabled: options.enabled ?? true,
  })
}

/** The same with the version of what was read, for an editor that must not overwrite another person's change. */
export function useVersioned<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: ReadOptions = {},
): UseQueryResult<Versioned<Reply<Name>>, ApiError> {
  return useQuery<Versioned<Reply<Name>>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    enabled: options.enabled ?? true,
  })
}

/** Under which name `usePages` keeps what it has read. */
export function pagesKey<Name extends OperationName>(name: Name, input: Input<Name>) {
  return [name, 'pages', input] as const
}

/** All pages of a list, one after the other as the reader asks for more. */
export function usePages<Name extends OperationName>(name: Name, input: Input<Name>, options: ReadOptions = {}) {
  const pages = useInfiniteQuery({
    queryKey: pagesKey(name, input),
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...(input.query as object), ...(pageParam === null ? {} : { cursor: pageParam }) }
      return (await call(name, { ...input, query } as Input<Name>, signal)).value as Reply<Name> & {
        data: Item<Name>[]
        next_cursor: string | null
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: options.refetchEvery ?? false,
    enabled: options.enabled ?? true,
  })
  return { ...pages, error: pages.error as ApiError | null, rows: pages.data?.pages.flatMap((page) => page.data) }
}

/** A whole list, however many pages it has: for pickers and tables that sort and filter in the page. */
export function useAll<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: ReadOptions = {},
): UseQueryResult<Item<Name>[], ApiError> {
  return useQuery<Item<Name>[], ApiError>({
    queryKey: [name, 'all', input],
    queryFn: async ({ signal }) => {
      const rows: Item<Name>[] = []
      let cursor: string | null = null
      do {
        const query = { ...(input.query as object), limit: 500, ...(cursor === null ? {} : { cursor }) }
        const page = (await call(name, { ...input, query } as Input<Name>, signal)).value as unknown as {
          data: Item<Name>[]
          next_cursor: string | null
        }
        rows.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null)
      return rows
    },
    placeholderData: keepPreviousData,
    refetchInterval: options.refetchEvery ?? false,
    enabled: options.enabled ?? true,
  })
}

/** A change. Afterwards everything on the page is asked for again: it is little, and nothing shown is then stale. */
export function useChange<Name extends OperationName>(
  name: Name,
): UseMutationResult<Reply<Name>, ApiError, Input<Name>> {
  const client = useQueryClient()
  return useMutation<Reply<Name>, ApiError, Input<Name>>({
    mutationFn: async (input) => (await call(name, input)).value,
    // An answer may hold a secret that is shown once: dropped with the component that shows it.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries(),
  })
}
