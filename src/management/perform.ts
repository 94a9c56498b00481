import type { z } from 'zod'
import { checkPlace, checkRole } from './access/permit.ts'
import { CONTRACT, type Contract } from './contract/contract.ts'
import type { Operation } from './contract/operation.ts'
import { type Context, type HandlersOf, type OperationHandler, parsed } from './router.ts'

interface Given {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/** Does an operation of the contract for a caller who did not ask for it by its own path. */
export type Perform<Names extends keyof Contract = keyof Contract> = <Name extends Names>(
  name: Name,
  given?: Given,
) => Promise<z.output<Contract[Name]['reply']>>

/** With the checks that the router makes: role, scope, and the shape of what is given. */
export function performer<Names extends keyof Contract>(
  handlers: HandlersOf<Pick<Contract, Names>>,
  context: Context,
): Perform<Names> {
  return async (name, { params = {}, query = {}, body } = {}) => {
    const operation = CONTRACT[name] as Operation
    checkRole(operation, context.access)
    const place = { params: parsed(operation.params, params, ''), query: parsed(operation.query, query, '') }
    checkPlace(operation, place, context.access)
    const handler = handlers[name] as unknown as OperationHandler<Operation>
    return (await handler({ ...place, body: parsed(operation.body, body, '') }, context)) as never
  }
}
