/** Where a request goes, and its headers. */
export interface HttpTarget {
  url: string
  headers: Record<string, string>
}
