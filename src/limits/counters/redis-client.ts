import { createClient } from '@redis/client'

const CONNECT_MS = 2_000

export type Client = ReturnType<typeof newClient>

/** In a file of its own, which is loaded only where it is used: the embedded set-up does without the client. */
export function newClient(url: string) {
  return createClient({
    // The client knows the older names only.
    url: url.replace(/^valkey/, 'redis'),
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    // Connecting again is done by the connection, so that a server which takes connections and says nothing is left too.
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS },
  })
}
