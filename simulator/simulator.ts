import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ScriptedAnswer } from './answer.ts'
import type { BilledCall } from './bill.ts'
import type { RecordedCall } from './call-log.ts'
import { FAMILIES, FAMILY_NAMES, type FamilyName, type PerFamily } from './families.ts'
import type { Family } from './family.ts'
import { PromptCache } from './prompt-cache.ts'
import type { Tweak } from './reply.ts'
import { createFamilyServer } from './server.ts'
import { type Account, type AgentScript, createStage, type Latency, type Pace } from './stage.ts'
import type { StreamCounts } from './stream/desk.ts'

export type { ScriptedAnswer } from './answer.ts'
export type { RecordedCall } from './call-log.ts'
export type { Tweak } from './reply.ts'
export type { StreamScript, StreamStep } from './stream/script.ts'

/** 0 (the default) takes a free port. */
type Ports = Partial<PerFamily<'Port', number>>
/** When set, every other key gets the vendor's 401; otherwise any non-empty key is accepted. */
type Keys = Partial<PerFamily<'Key', string>>

export interface SimulatorOptions extends Ports, Keys {
  host?: string
  seed?: number
  latencyMs?: Latency
  /** Of streamed answers; their latency is not counted then. */
  pace?: Pace
  keepCalls?: number
}

/** As the vendor's base address is written: OpenAI's includes `/v1`, the others are origins. */
export type SimulatedUrls = PerFamily<'Url', string>

export interface Simulator extends SimulatedUrls {
  calls: readonly RecordedCall[]
  /** What its vendors would bill, also for answers that did not arrive. */
  bill: readonly BilledCall[]
  /** All streams since the start or `reset()`. */
  streams: Readonly<StreamCounts>
  /**
   * The next answers for this model, in order; `undefined` is the normal answer, which also returns when they are used
   * up.
   */
  script(model: string, answers: (ScriptedAnswer | undefined)[]): void
  /**
   * Plays a task with an agent on this model: turn by turn, found by the number of tool results in the conversation, so
   * that it does not matter how often a request is repeated. Requests are validated, and those that do not offer the
   * tools of the turns get their normal answer. `follows: calls`: one turn for each call, where a summary takes the
   * results out of the conversation.
   */
  agent(model: string, turns: readonly Tweak[], follows?: AgentScript['follows']): void
  /** Holds every answer of a model back until `release()`. */
  hold(): void
  release(): void
  /** Lets every stream go on that is stalled now. */
  resume(): void
  /** Resolves as soon as so many streams (1 if not given) are stalled. */
  stalled(count?: number): Promise<void>
  /** The model list answers 503 while down. */
  modelsDown(family: FamilyName, down: boolean): void
  /** From now on prompts are cached as the vendors do it, and reported. */
  cachePrompts(): void
  /** What the account chooses where a request leaves it open; what is not given is as usual. */
  account(account: Partial<Account>): void
  /** Forgets calls, scripts and what the scenarios remember. */
  reset(): void
  close(): Promise<void>
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1'
  const { seed = 1, latencyMs = 0, keepCalls = 100_000, pace } = options
  const stage = createStage({ seed, latencyMs, keepCalls, pace })
  const servers: Server[] = []
  const listening = await Promise.allSettled(
    FAMILY_NAMES.map(async (name): Promise<[keyof SimulatedUrls, string]> => {
      const family: Family = FAMILIES[name]
      const server = createFamilyServer(family, stage, options[`${name}Key`] ?? null)
      servers.push(server)
      const origin = await listen(server, options[`${name}Port`] ?? 0, host)
      return [`${name}Url`, origin + (family.basePath ?? '')]
    }),
  )
  const failed = listening.find((each) => each.status === 'rejected')
  if (failed !== undefined) {
    await Promise.all(servers.filter((server) => server.listening).map(shut))
    throw failed.reason
  }
  const urls = listening.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  return {
    ...(Object.fromEntries(urls) as SimulatedUrls),
    calls: stage.log.calls,
    bill: stage.bill.calls,
    streams: stage.streams.counts,
    script: stage.script,
    agent: stage.agent,
    hold: stage.hold,
    release: stage.release,
    resume: stage.streams.resume,
    stalled: (count = 1) => stage.streams.stalled(count),
    modelsDown(family, down) {
      if (down) stage.modelsDown.add(family)
      else stage.modelsDown.delete(family)
    },
    cachePrompts() {
      stage.prompts = new PromptCache()
    },
    account: (account) => stage.setAccount(account),
    reset: stage.reset,
    async close() {
      stage.release()
      await Promise.all(servers.map(shut))
    },
  }
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

async function shut(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
