/** What calls said, where a workspace stores it; apart from the log, and with its own retention. */
export interface RequestContentTable {
  /** Of the request. */
  id: string
  workspace: string
  stored_at: number
  expires_at: number
  /** Of the key that opens it; null without content. */
  key_id: string | null
  /** JSON, compressed and encrypted (content/seal.ts). */
  sealed: string | null
  /** Why there is none. */
  dropped: string | null
}
