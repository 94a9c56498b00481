/** The connection pool by itself: the package's front door also brings fetch, WebSocket, caches and mocks, 8 MB of them. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export = Pool
}
