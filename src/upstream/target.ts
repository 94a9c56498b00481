/** Where a request goes, and its headers. */
export interface HttpTarget {
  url: string
  headers: Record<string, string>
  /** A proxy for this target, in place of the environment's; empty: none. */
  proxy?: string
  /** Authorities (PEM) in place of the usual ones. */
  ca?: string
  /** The usual ones vouch as well. */
  keepsUsualAuthorities?: true
  /**
   * The address was chosen by the gateway's own environment, e.g. a metadata server: no proxy, and addresses that no
   * provider may have are allowed.
   */
  isInternal?: true
}
