import { median } from './median.ts'
import type { RunOptions } from './plan.ts'
import { bearer, createScene, GATEWAY_KEY, startGateway, startUpstream } from './scene.ts'

/** From the launch of the process to its first answered call, files in the disk's cache, a database that is there. */
export interface StartTime {
  milliseconds: number
  /** On the very first start it also makes its database. */
  firstMilliseconds: number
}

export async function measureStart({ plan, dist, progress }: RunOptions): Promise<StartTime> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).atOnce
  const times: number[] = []
  let dataDir: string | undefined
  for (let start = 0; start <= plan.starts; start++) {
    const began = performance.now()
    const gateway = await startGateway(scene, {
      upstream,
      dist,
      env: { GATEWAY_KEY },
      withKeys: false,
      ...(dataDir === undefined ? {} : { dataDir }),
    })
    const { url, path, model } = gateway.target('openai')
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const answer = await fetch(url + path, { method: 'POST', headers: bearer(GATEWAY_KEY), body })
    await answer.text()
    if (answer.status !== 200) throw new Error(`the first call was answered with ${answer.status}`)
    times.push(performance.now() - began)
    progress(`start ${start} of ${plan.starts}: first answer after ${times.at(-1)?.toFixed(0)} ms`)
    dataDir = gateway.dataDir
    await gateway.running.stop()
  }
  const [firstMilliseconds = 0, ...warm] = times
  return { milliseconds: median(warm) ?? 0, firstMilliseconds }
}
