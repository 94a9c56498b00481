import { after, test } from 'node:test'
import { assertNeverAcross } from './never-across.ts'
import { LONG_LIVED, startWorld, type World } from './world.ts'

const world: World = await startWorld({ config: LONG_LIVED })
after(() => world.stop())

test('a stored answer is given for the same bytes to those who may have it, and for nothing else', async () => {
  const all = [{ store: null, post: world.post, world }]
  await assertNeverAcross({ all, upstream: () => world.upstream().length }, 60)
})
