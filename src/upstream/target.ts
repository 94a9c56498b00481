/** Where a request goes, and what its head holds. */
export interface HttpTarget {
  url: string
  headers: Record<string, string>
}
