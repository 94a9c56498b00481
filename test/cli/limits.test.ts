import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startHarness } from '../harness.ts'
import { cliOf } from './run-cli.ts'

const harness = await startHarness({ config: '' })
after(() => harness.stop())
const cli = cliOf(() => harness.url)

async function ok(line: string) {
  const result = await cli(line, { folder: harness.folder })
  assert.equal(result.code, 0, `${line}: ${result.stderr}`)
  return result
}

describe('limits as options', () => {
  test('a key is made with them, changed one by one, and freed of them', async () => {
    const made = await ok('keys create app --rpm 60 --tpm 100000 --max-parallel 4 --budget 50/month --json')
    const { id, limits } = made.json()
    const budget = { usd: '50', per: 'month', mode: 'hard' }
    assert.deepEqual(limits, { rpm: 60, tpm: 100_000, max_parallel: 4, budget })
    const limitsAfter = async (options: string) => (await ok(`keys update ${id} ${options} --json`)).json().limits
    const soft = { usd: '2.50', per: 'day', mode: 'soft' }
    assert.deepEqual(await limitsAfter('--budget 2.50/day:soft --tpm null'), { rpm: 60, max_parallel: 4, budget: soft })
    assert.deepEqual(await limitsAfter('--name app-2'), { rpm: 60, max_parallel: 4, budget: soft })
    writeFileSync(join(harness.folder, 'limits.json'), '{"limits":{"tpm":5}}')
    assert.deepEqual(await limitsAfter('-f limits.json --rpm 1'), { tpm: 5, rpm: 1 })
    assert.equal(await limitsAfter('--rpm null --tpm null'), null)
  })

  test('a default output limit, and a budget that calls are fitted into', async () => {
    const made = await ok('keys create small --max-output-tokens 2000 --budget 0.40/total:fit --json')
    const { id, limits } = made.json()
    const budget = { usd: '0.40', per: 'total', mode: 'hard', when_tight: 'fit' }
    assert.deepEqual(limits, { max_output_tokens: 2000, budget })
    const changed = await ok(`keys update ${id} --max-output-tokens null --budget 5/day:fit=1000 --json`)
    assert.deepEqual(changed.json().limits, { budget: { ...budget, usd: '5', per: 'day', fit_at_least: 1000 } })
    assert.match((await ok('budgets')).stdout, /5\/day:fit=1000/)
  })

  test('a workspace likewise', async () => {
    const made = (await ok('workspaces create team --budget 500/month --json')).json()
    assert.deepEqual(made.limits, { budget: { usd: '500', per: 'month', mode: 'hard' } })
    const changed = (await ok('workspaces update team --max-parallel 9 --description ours --json')).json()
    assert.deepEqual([changed.limits.max_parallel, changed.limits.budget.usd, changed.description], [9, '500', 'ours'])
  })

  test('how unconfirmed spend counts is set for a workspace, and keys name where it belongs', async () => {
    const made = (await ok('workspaces create books --rpm 5 --unconfirmed estimate --json')).json()
    assert.deepEqual(made.limits, { rpm: 5, unconfirmed: 'estimate' })
    const limitsAfter = async (options: string) => (await ok(`workspaces update books ${options} --json`)).json().limits
    assert.deepEqual(await limitsAfter('--unconfirmed ignore --rpm null'), { unconfirmed: 'ignore' })
    assert.equal(await limitsAfter('--unconfirmed null'), null)
    const wrong = await cli('workspaces update books --unconfirmed all')
    assert.deepEqual([wrong.code, /--unconfirmed: one of bound, estimate, ignore, null/.test(wrong.stderr)], [2, true])
    writeFileSync(join(harness.folder, 'policy.json'), '{"limits":{"unconfirmed":"ignore"}}')
    const refused = await cli('keys create never -f policy.json', { folder: harness.folder })
    assert.notEqual(refused.code, 0)
    assert.match(
      refused.stderr,
      /limits: unconfirmed is a setting of the workspace; set it in the limits of the workspace/,
    )
    assert.notEqual((await cli('keys create never --unconfirmed ignore')).code, 0)
  })

  test('what customers are charged is set one by one, and removed', async () => {
    const made = (await ok('workspaces create shop --resale-markup 20 --rpm 5 --json')).json()
    assert.deepEqual([made.resale, made.limits], [{ markup_percent: '20' }, { rpm: 5 }])
    const after = async (options: string) => (await ok(`workspaces update shop ${options} --json`)).json().resale
    const fast = { input_per_mtok: '1', cached_input_per_mtok: '0.1', output_per_mtok: '4' }
    const large = { input_per_mtok: '2.5', output_per_mtok: '10' }
    const prices = '--resale-price fast,input=1,cached_input=0.1,output=4 --resale-price a/b,c,input=2.5,output=10'
    assert.deepEqual(await after(prices), { markup_percent: '20', prices: { fast, 'a/b,c': large } })
    assert.deepEqual(await after('--resale-markup=-2.5'), { markup_percent: '-2.5', prices: { fast, 'a/b,c': large } })
    assert.deepEqual(await after('--resale-price a/b,c,null --resale-markup null'), { prices: { fast } })
    assert.deepEqual(await after('--rpm null'), { prices: { fast } })
    assert.equal(await after('--resale-price fast,null'), null)
    for (const wrong of ['fast', 'fast,input', 'fast,input=cheap', 'fast,prompt=1', ',input=1']) {
      const { code, stderr } = await cli(`workspaces update shop --resale-price ${wrong}`)
      assert.deepEqual([code, /--resale-price: /.test(stderr)], [2, true], wrong)
    }
    const partial = await cli('workspaces update shop --resale-price fast,input=1')
    assert.deepEqual([partial.code, /resale\.prices\.fast\.output_per_mtok/.test(partial.stderr)], [2, true])
    assert.notEqual((await cli('workspaces update shop --resale-markup -101')).code, 0)
  })

  test('when sessions count as loops is set one by one, and removed', async () => {
    const made = (await ok('workspaces create watched --loop same_tool_call=8:stop --json')).json()
    const times = { slow_seconds: 10, stop_minutes: 30 }
    assert.deepEqual(made.loops, { same_tool_call: { times: 8, action: 'stop' }, ...times })
    const after = async (options: string) => (await ok(`workspaces update watched ${options} --json`)).json().loops
    const more = '--loop context_growth=12/5000:slow --loop spend_times_usual=2.5/1 --loop slow_seconds=5'
    const growth = { calls: 12, tokens: 5000, action: 'slow' }
    const spend = { times: 2.5, usd: 1, action: 'alert' }
    assert.deepEqual(await after(more), {
      ...{ same_tool_call: { times: 8, action: 'stop' }, context_growth: growth, spend_times_usual: spend },
      ...{ slow_seconds: 5, stop_minutes: 30 },
    })
    const changed = await after('--loop same_tool_call=9 --loop context_growth=null --loop spend_times_usual=null')
    assert.deepEqual(changed, { same_tool_call: { times: 9, action: 'stop' }, slow_seconds: 5, stop_minutes: 30 })
    assert.deepEqual((await after('--rpm 5')).same_tool_call, { times: 9, action: 'stop' })
    assert.deepEqual((await after('--loop null --loop calls_a_minute=60')).calls_a_minute.calls, 60)
    assert.equal(await after('--loop calls_a_minute=null'), null)
    for (const wrong of [
      ...['same_tool_call', 'same_tool_call=', 'same_tool_call=8/2', 'same_tool_call=8:shout', 'spend_times_usual=5'],
      ...['other=1', 'slow_seconds=x', 'slow_seconds=5:stop', 'calls_a_minute=-1'],
    ]) {
      const { code, stderr } = await cli(`workspaces update watched --loop ${wrong}`)
      assert.deepEqual([code, /--loop: /.test(stderr)], [2, true], wrong)
    }
    const alone = await cli('workspaces update watched --loop slow_seconds=5')
    assert.match(alone.stderr, /name at least one signal/)
  })

  for (const options of [
    '--rpm 0',
    '--rpm=-1',
    '--rpm 1.5',
    '--tpm many',
    '--tpm 99999999999999999999',
    '--max-parallel 0x10',
    '--budget 50',
    '--budget 50/year',
    '--budget=-5/day',
    '--max-output-tokens 0',
    '--budget 5/day:fit=0',
    '--budget 5/day:soft=9',
    '--budget 5/day:firm',
    '--budget 1000000000/day',
    '--budget 5USD/day',
  ]) {
    test(`${options} ends with 2, names the option, and makes nothing`, async () => {
      const { code, stderr } = await cli(`keys create never ${options}`)
      assert.equal(code, 2)
      assert.ok(stderr.includes(options.split(/[ =]/, 1)[0] ?? ''), stderr)
      assert.doesNotMatch((await ok('keys list')).stdout, /never/)
    })
  }
})
