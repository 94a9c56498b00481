/** Where a request goes, and its headers. */
export interface HttpTarget {
  url: string
  headers: Record<string, string>
  /** A proxy for this target, in place of the environment's; empty: none. */
  proxy?: string
  /** Authorities (PEM) in place of the usual ones. */
  ca?: string
  /** The address was chosen by the gateway's own environment, e.g. a metadata server: addresses of the machine may be. */
  isInternal?: true
}
