import { createClient } from '@redis/client'

const CONNECT_MS = 2_000

export type Client = ReturnType<typeof newClient>

/** In its own file and loaded on demand: the embedded set-up does not need the client. */
export function newClient(url: string) {
  return createClient({
    // The client only knows the older names.
    url: url.replace(/^valkey/, 'redis'),
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    // The client's own limit is a timer for each command, never cancelled, that no longer counts once the command is
    // sent. The connection watches the oldest command instead.
    commandOptions: { timeout: 0 },
    // `Connection` reconnects, not the client: that also leaves a server that accepts connections but does not answer.
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS },
  })
}

/** For optional use: it reconnects on its own, and commands fail at once until it has. */
export function newReconnectingClient(url: string) {
  const socket = { connectTimeout: CONNECT_MS }
  return createClient({ url: url.replace(/^valkey/, 'redis'), RESP: 2, disableOfflineQueue: true, socket })
}
