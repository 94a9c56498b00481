import { median } from '../load/percentiles.ts'
import type { RunOptions } from '../plan.ts'
import { startGateway } from '../run/gateway.ts'
import { bearer, createScene, startUpstream } from '../run/scene.ts'

const GATEWAY_KEY = 'gw_live_bench000000000000000000000000000'

/** From the launch of the process to its first answered call, with a warm disk cache. */
export interface StartTime {
  /** With an existing database. */
  milliseconds: number
  /** The first start also creates the database. */
  firstMilliseconds: number
}

export async function measureStart({ plan, build, progress }: Pick<RunOptions, 'plan' | 'build' | 'progress'>) {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).immediate
  const times: number[] = []
  let existing: { dataDir?: string } = {}
  for (let start = 0; start <= plan.starts; start++) {
    const began = performance.now()
    const gateway = await startGateway(scene, { upstream, build, env: { GATEWAY_KEY }, withKeys: false, ...existing })
    const { url, path, model } = gateway.target('openai')
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const answer = await fetch(url + path, { method: 'POST', headers: bearer(GATEWAY_KEY), body })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    await answer.text()
    times.push(performance.now() - began)
    progress(`start ${start} of ${plan.starts}: first answer after ${times.at(-1)?.toFixed(0)} ms`)
    existing = { dataDir: gateway.dataDir }
    await gateway.running.stop()
  }
  const [firstMilliseconds = 0, ...warm] = times
  const result: StartTime = { milliseconds: median(warm) ?? 0, firstMilliseconds }
  return result
}
