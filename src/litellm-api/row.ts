import type { JsonObject } from '../domain/request/call-request.ts'
import type { Contract } from '../management/contract/contract.ts'
import type { Perform } from '../management/perform.ts'
import type { Context } from '../management/router.ts'
import type { Caller } from './caller.ts'
import type { LitellmDeps } from './deps.ts'

/** One request of LiteLLM's API, read and authorized. */
export interface Asked {
  params: Readonly<Record<string, string>>
  query: Record<string, string>
  /** Empty for a GET. */
  body: JsonObject
  caller: Caller
  /** Does an operation of our own API under the caller's role and scope. */
  perform: Perform
  context: Context
}

export interface Row {
  method: 'GET' | 'POST'
  path: string
  /** `own`: also for a gateway key, about itself; on the port for calls. `admin`: on the port for administration. */
  access: 'own' | 'admin'
  /** The operation of our own API whose role and scope apply before anything of the body is read. */
  operation: keyof Contract
  handle(asked: Asked, deps: LitellmDeps): Promise<unknown>
}
