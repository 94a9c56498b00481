import { Button } from '@mantine/core'

interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** The end of a list that has more. */
export function OlderButton({ pages, children }: { pages: Pages; children: string }) {
  if (!pages.hasNextPage) return null
  return (
    <Button variant="default" size="xs" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      {children}
    </Button>
  )
}
