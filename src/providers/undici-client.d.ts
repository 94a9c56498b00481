/** undici's connection, and how one is made, by themselves: the package's front door also brings fetch, WebSocket, caches and mocks, 8 MB of them. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}
