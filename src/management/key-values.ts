import { GatewayError } from '../domain/errors.ts'
import { keyPrefix, newKeyValue } from '../domain/key.ts'
import { addValue, endValues, valuesOf, worksAt } from '../store/control/key-values.ts'
import { updateKey } from '../store/control/keys.ts'
import type { keyOperations } from './contract/keys.ts'
import { change, type ManagementDeps } from './deps.ts'
import { findChangeableKey, findGatewayKey, keyAuditEntry } from './find-key.ts'
import { toKeyView, valueView } from './key-view.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { Context, HandlersOf } from './router.ts'

type Names = 'keys.rotate' | 'keys.values' | 'keys.revoke-value' | 'keys.pause' | 'keys.resume'

/** What happens to the values of a key while the key itself stays the same. */
export function keyValueHandlers(deps: ManagementDeps): Pick<HandlersOf<typeof keyOperations>, Names> {
  return {
    'keys.rotate': ({ params, body }, context) => {
      const value = newKeyValue('live')
      return rotateKey(deps, params.id, { value, prefix: keyPrefix(value), ...body }, context)
    },
    async 'keys.values'({ params, query: { limit, cursor } }, context) {
      const after = decodeCursor(cursor, 1)
      const key = await findGatewayKey(deps.db, params.id, context)
      await deps.writeUses()
      const values = await valuesOf(deps.db, key)
      const rest = after === null ? values : values.filter(({ id }) => id < String(after[0]))
      return page(rest.slice(0, limit + 1), limit, valueView, ({ id }) => [id])
    },
    'keys.revoke-value': ({ params: { id, value_id } }, context) =>
      change(deps, context, async (transaction) => {
        const { now } = context
        const before = await findChangeableKey(transaction, id, context)
        const values = await valuesOf(transaction, before)
        if (!values.some((value) => value.id === value_id)) {
          throw new GatewayError('not_found', `The key '${before.name}' has no value with the id '${value_id}'.`)
        }
        const working = values.filter((value) => worksAt(value, now))
        if (working.length === 1 && working[0]?.id === value_id) {
          throw new GatewayError(
            'conflict',
            `This is the last working value of the key '${before.name}'. Rotate, pause or revoke the key instead.`,
          )
        }
        const ended = await endValues(transaction, before, { which: (value) => value.id === value_id, at: now, now })
        const after = await findGatewayKey(transaction, id, context)
        const revoked = ended.map(valueView)
        const audit = keyAuditEntry('keys.revoke-value', before, after, { revoked })
        return { result: undefined, audit: ended.length === 0 ? null : audit }
      }),
    'keys.pause': ({ params }, context) => setPause(deps, params.id, context, 'keys.pause'),
    'keys.resume': ({ params }, context) => setPause(deps, params.id, context, 'keys.resume'),
  }
}

interface Rotation {
  value: string
  prefix: string
  overlap_seconds: number
}

/** The caller has the role that `keys.rotate` needs. */
export function rotateKey(deps: ManagementDeps, key: string, rotation: Rotation, context: Context) {
  const { value, prefix, overlap_seconds } = rotation
  return change(deps, context, async (transaction) => {
    const { now } = context
    const before = await findChangeableKey(transaction, key, context)
    if (before.expires_at !== null && before.expires_at <= now) {
      throw new GatewayError('conflict', `The key '${before.name}' has expired. Set a new expires_at first.`)
    }
    const { id: value_id } = await addValue(transaction, before, value, now, prefix)
    const at = now + overlap_seconds * 1000
    const ended = await endValues(transaction, before, { which: ({ id }) => id !== value_id, at, now })
    const replaces = ended.map(valueView)
    const after = await findGatewayKey(transaction, before.id, context)
    return {
      result: { ...(await toKeyView(transaction, after)), value, value_id, replaces },
      audit: keyAuditEntry('keys.rotate', before, after, { value_id, replaces }),
    }
  })
}

function setPause(deps: ManagementDeps, id: string, context: Context, action: 'keys.pause' | 'keys.resume') {
  return change(deps, context, async (transaction) => {
    const before = await findChangeableKey(transaction, id, context)
    const isPaused = action === 'keys.pause'
    if (isPaused === (before.paused_at !== null)) return { result: await toKeyView(transaction, before), audit: null }
    await updateKey(transaction, id, { pausedAt: isPaused ? context.now : null })
    const after = await findGatewayKey(transaction, id, context)
    return { result: await toKeyView(transaction, after), audit: keyAuditEntry(action, before, after) }
  })
}
