import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { SERVES_WITHIN_MS } from './node.ts'
import { type Part, SHORTEST_DOWN_MS, type Strike, strikeText } from './schedule.ts'

export interface Strikes {
  kills: Kill[]
  /** Beside the schedule: kills this part and starts it again. Resolves when it is up, rejects when it does not come back. */
  strikeNow(part: Part): Promise<void>
  /** Resolves when the last part that was struck is up again; rejects when one does not come back. */
  done: Promise<void>
}

/** A killed node, by its index: when the signal was sent, and when it had ended. */
export interface Kill {
  node: number
  at: number
  goneAt: number
}

/** Resolves when the part has been started; its promise to be up is wrapped, so as not to wait for it. */
type Restart = Promise<{ isUp: Promise<boolean> }>

/** Plays the schedule. Nodes are killed half-way through a start too; the servers are up before they are killed again. */
export function playStrikes(cluster: Cluster, strikes: readonly Strike[], say: (line: string) => void): Strikes {
  const begun = Date.now()
  const kills: Kill[] = []
  const restarts = new Map<Part, Restart>()
  const failures: unknown[] = []

  async function play(strike: Strike): Promise<void> {
    const { part, atMs } = strike
    await sleep(Math.max(0, begun + atMs - Date.now()))
    // Its place in the row is taken before anything is waited for: a kill may take seconds on a busy machine.
    const restart = strikeAfter(restarts.get(part), strike)
    restarts.set(part, restart)
    if (await (await restart).isUp) say(`${' '.repeat(10)}${part.padEnd(8)}  is up`)
  }

  async function strikeAfter(last: Restart | undefined, strike: Strike): Restart {
    const { part, downMs, wiped } = strike
    const node = cluster.nodes.findIndex(({ name }) => name === part)
    const restarted = await last
    if (node === -1) await restarted?.isUp
    else await othersServe(cluster, node)
    say(strikeText(strike))
    const kill: Kill = { node, at: Date.now(), goneAt: Number.POSITIVE_INFINITY }
    if (node !== -1) kills.push(kill)
    await killPart(cluster, part)
    kill.goneAt = Date.now()
    await sleep(downMs)
    const isUp = startPart(cluster, part, wiped).catch((error: unknown) => {
      failures.push(error)
      return false
    })
    return { isUp }
  }

  async function playAll(some: readonly Strike[]): Promise<void> {
    await Promise.all(some.map(play))
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'))
  }

  return {
    kills,
    done: playAll(strikes),
    strikeNow: (part) => playAll([{ part, atMs: Date.now() - begun, downMs: SHORTEST_DOWN_MS, wiped: false }]),
  }
}

/** On a slow machine nodes are still starting when the schedule has the next one killed: one is always left to call. */
async function othersServe({ nodes }: Cluster, node: number): Promise<void> {
  const deadline = Date.now() + SERVES_WITHIN_MS
  while (!nodes.some((other, index) => index !== node && other.isUp()) && Date.now() < deadline) await sleep(20)
}

async function killPart({ nodes, postgres, valkey }: Cluster, part: Part): Promise<void> {
  if (part === 'postgres') await postgres.kill()
  else if (part === 'valkey') await valkey.halt()
  else await nodes.find(({ name }) => name === part)?.kill()
}

/** False when it was killed again before it was up. */
async function startPart({ nodes, postgres, valkey }: Cluster, part: Part, wiped: boolean): Promise<boolean> {
  if (part === 'postgres') await postgres.resume()
  else if (part === 'valkey') await valkey.resume({ wiped })
  else return (await nodes.find(({ name }) => name === part)?.start()) ?? false
  return true
}
