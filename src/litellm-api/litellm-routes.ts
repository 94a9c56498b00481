import { GatewayError } from '../domain/errors.ts'
import type { Call, HttpRoute, Reply } from '../http/call.ts'
import { checkRole } from '../management/access/permit.ts'
import { CONTRACT } from '../management/contract/contract.ts'
import { performer } from '../management/perform.ts'
import { type Context, saidAway } from '../management/router.ts'
import { callerOf, onBehalf } from './caller.ts'
import type { LitellmDeps } from './deps.ts'
import { litellmError, ShapeError } from './errors.ts'
import { HEALTH_ROWS } from './health.ts'
import { objectReply, readObject } from './json.ts'
import { KEY_ROWS } from './keys.ts'
import { MODEL_ROWS } from './models.ts'
import type { Row } from './row.ts'
import { SPEND_ROWS } from './spend.ts'
import { TEAM_ROWS } from './teams.ts'
import { USER_ROWS } from './users.ts'

/** The part of LiteLLM's management API that its tools use (docs/litellm-api.md). */
export const ROWS: readonly Row[] = [
  ...KEY_ROWS,
  ...TEAM_ROWS,
  ...USER_ROWS,
  ...MODEL_ROWS,
  ...SPEND_ROWS,
  ...HEALTH_ROWS,
]

/**
 * `administration`: everything. `calls`: where administration has a port of its own, what a gateway key may read about
 * itself is on the port for calls, too.
 */
export function litellmRoutes(
  deps: LitellmDeps,
  hasAdminPort: boolean,
): Record<'calls' | 'administration', HttpRoute[]> {
  return {
    calls: hasAdminPort ? ROWS.filter(({ access }) => access === 'own').map((row) => routeOf(row, deps, false)) : [],
    administration: ROWS.map((row) => routeOf(row, deps, true)),
  }
}

function routeOf(row: Row, deps: LitellmDeps, allowsAdmin: boolean): HttpRoute {
  return {
    method: row.method,
    path: row.path,
    handle: (call) => saidAway(deps.live.orAway(answer(call, row, deps, allowsAdmin))),
    writeError: (error, _id, headers) => litellmError(error, headers),
  }
}

async function answer(call: Call, row: Row, deps: LitellmDeps, allowsAdmin: boolean): Promise<Reply> {
  const caller = await callerOf(call, deps, allowsAdmin)
  if (row.access === 'admin' && caller.own !== null) {
    throw new GatewayError('forbidden', 'This operation requires an admin key, not a gateway key.')
  }
  checkRole(CONTRACT[row.operation], caller.access)
  const context = contextOf(call, { ...caller, actor: onBehalf(caller.actor, call.header('litellm-changed-by')) }, deps)
  const body = row.method === 'POST' ? await readObject(call, deps.maxBodyBytes) : {}
  const asked = {
    params: call.params,
    query: call.query(),
    body,
    caller,
    perform: performer(deps.handlers, context),
    context,
  }
  try {
    return objectReply(await row.handle(asked, deps))
  } catch (error) {
    if (error instanceof ShapeError) return error.reply()
    throw error
  }
}

/** LiteLLM has no versions of objects: the last write wins. */
function contextOf(
  call: Call,
  who: Pick<Context, 'actor' | 'access' | 'session' | 'expiresAt'>,
  deps: LitellmDeps,
): Context {
  const { actor, access, session, expiresAt } = who
  return {
    ...{ actor, access, session, expiresAt },
    id: call.id,
    presence: call.presence,
    openStream: call.openStream,
    now: deps.now(),
    method: call.method,
    header: (name) => call.header(name),
    source: deps.sourceOf(call),
    setHeader() {},
    checkMatch() {},
    created() {},
  }
}
