import { createRandom } from '../simulator/random.ts'
import { startSimulator } from '../simulator/simulator.ts'
import type { Dialect, Manage, Opening } from './dialect.ts'
import { residentBytes } from './gateway.ts'
import { litellm } from './litellm.ts'
import { ask, type Target } from './target.ts'

export const DIALECTS: Readonly<Record<string, Dialect>> = { litellm }

/** A running gateway of somebody else. */
export interface TargetOptions {
  url: string
  dialect: Dialect
  adminKey: string
  /** Where the simulated providers listen: the target must reach it. */
  providerHost: string
  /** Its process on this machine, for its memory; null: it is not looked at. */
  pid: number | null
  /** How long its log may take to be complete. */
  settleMs: number
}

export type OpenTarget = Target & AsyncDisposable

/** Makes models and keys there that lead to simulated providers; all of it is removed at the end. */
export async function openTarget(
  { url, dialect, adminKey, providerHost, pid, settleMs }: TargetOptions,
  { seed, isQuick }: { seed: number; isQuick: boolean },
): Promise<OpenTarget> {
  await using opened = new AsyncDisposableStack()
  const simulator = await startSimulator({ seed, keepCalls: 20_000, host: providerHost })
  opened.defer(() => simulator.close())
  const random = createRandom(seed)
  const manage = managing(url, adminKey)
  const tag = `prove-${process.pid}-${Date.now().toString(36)}`
  const opening: Opening = {
    manage,
    simulator,
    tag,
    defer: (remove) => opened.defer(async () => void (await remove())),
  }
  const names = await dialect.addModels(opening)
  const modelOf = (name: string) => names.get(name) ?? name
  const target: Target = {
    ...{ random, isQuick, simulator, modelOf, url: () => url, adminPath: dialect.adminPath },
    isRefusal: dialect.isRefusal,
    ask: (key, request, options) => ask(url, key, { ...request, model: modelOf(modelIn(request)) }, options),
    newKey: (limits = {}) =>
      dialect.newKey(
        { ...opening, defer: (remove) => kept.defer(async () => void (await remove())) },
        [...names.values()],
        limits,
      ),
    rotate: async () => null,
    keyIds: () => dialect.keyIds(manage),
    async spent(key, isEnough) {
      const end = performance.now() + settleMs
      for (;;) {
        const sum = await dialect.spent(manage, key)
        if (isEnough(sum) || performance.now() >= end) return sum
        await new Promise((resolve) => setTimeout(resolve, Math.min(500, settleMs)))
      }
    },
    calls: async () => null,
    memory: async () => (pid === null ? null : residentBytes(pid)),
  }
  const kept = opened.move()
  return { ...target, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function modelIn(request: object): string {
  return 'model' in request ? String(request.model) : ''
}

function managing(url: string, adminKey: string): Manage {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path.split('?')[0]}: ${response.status} ${text.slice(0, 300)}`)
    return text === '' ? null : JSON.parse(text)
  }
}
