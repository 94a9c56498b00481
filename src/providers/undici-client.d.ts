/** undici's connection by itself: the package's front door also brings fetch, WebSocket, caches and mocks, 8 MB of them. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
