import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError } from '../../src/app/config.ts'
import { watchConfig } from '../../src/app/watch-config.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { hello, newFolder, startHarness, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A watched file; texts that contain "bad" are refused, as a broken file is. */
function watched(text: string | null, folder = newFolder()) {
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'switchyard.yaml')
  if (text !== null) writeFileSync(path, text)
  const applied: string[] = []
  const lines: string[] = []
  const line = (fields: { problem?: string }, message: string) =>
    lines.push(`${message} ${fields.problem ?? ''}`.trim())
  const log = { info: line, warn: line, error: line } as unknown as Log
  let fault: Error | null = null
  const stop = watchConfig({
    path,
    text,
    log,
    async apply(next) {
      if (fault !== null) throw fault
      if (next.includes('bad')) throw new ConfigError('switchyard.yaml: bad is not known')
      applied.push(next)
    },
  })
  ends.push(stop)
  const fail = (error: Error | null) => {
    fault = error
  }
  return { folder, path, applied, lines, stop, fail }
}

describe('a watched file', () => {
  test('is applied when it changes', async () => {
    const { path, applied } = watched('a: 1')
    writeFileSync(path, 'a: 2')
    await until(() => applied.length > 0, 'the edit is applied')
    assert.deepEqual(applied, ['a: 2'])
  })

  test('is applied when an editor replaces it by another file', async () => {
    const { path, folder, applied } = watched('a: 1')
    for (const text of ['a: 2', 'a: 3']) {
      writeFileSync(join(folder, '.switchyard.yaml.swp'), text)
      renameSync(join(folder, '.switchyard.yaml.swp'), path)
      await until(() => applied.at(-1) === text, 'the new file is applied')
    }
  })

  test('is applied when it is a link whose target is swapped, as Kubernetes does', async () => {
    const folder = newFolder()
    for (const version of ['1', '2']) {
      mkdirSync(join(folder, `..${version}`))
      writeFileSync(join(folder, `..${version}`, 'switchyard.yaml'), `a: ${version}`)
    }
    symlinkSync('..1', join(folder, '..data'))
    symlinkSync('..data/switchyard.yaml', join(folder, 'switchyard.yaml'))
    const { applied } = watched(null, folder)
    await until(() => applied.length === 1, 'the first version is applied')
    symlinkSync('..2', join(folder, '..next'))
    renameSync(join(folder, '..next'), join(folder, '..data'))
    await until(() => applied.length === 2, 'the second version is applied')
    assert.deepEqual(applied, ['a: 1', 'a: 2'])
  })

  test('is read when it has been written to its end', async () => {
    const { path, applied } = watched('a: 1')
    writeFileSync(path, 'a: {bad')
    for (const piece of [' half', ' three quarters']) {
      await pause(20)
      appendFileSync(path, piece)
    }
    await pause(20)
    writeFileSync(path, 'a: { whole: true }')
    await until(() => applied.length > 0, 'the whole file is applied')
    assert.deepEqual(applied, ['a: { whole: true }'])
  })

  test('with a mistake is told once and not applied; mended, it is', async () => {
    const { path, applied, lines } = watched('a: 1')
    writeFileSync(path, 'bad: 1')
    await until(() => lines.length > 0, 'the mistake is told')
    // The same text again is the same mistake.
    writeFileSync(path, 'bad: 1')
    writeFileSync(path, 'a: 2')
    await until(() => applied.length > 0, 'the mended file is applied')
    assert.deepEqual(applied, ['a: 2'])
    assert.deepEqual(lines, [
      'the configuration file was not applied; the previous configuration stays in force switchyard.yaml: bad is not known',
    ])
  })

  test('that is emptied takes nothing back, and says how to mean it', async () => {
    const { path, applied, lines } = watched('a: 1')
    writeFileSync(path, '\n')
    await until(() => lines.length > 0, 'the empty file is told')
    assert.match(lines[0] ?? '', /is empty; write \{\}/)
    assert.deepEqual(applied, [])
  })

  test('that is deleted is told, changes nothing, and counts again when it is back', async () => {
    const { path, applied, lines } = watched('a: 1')
    rmSync(path)
    await until(() => lines.length > 0, 'the loss is told')
    assert.deepEqual(lines, ['the configuration file is gone; what it set stays in force'])
    writeFileSync(path, 'a: 2')
    await until(() => applied.length > 0, 'the new file is applied')
  })

  test('may come later', async () => {
    const { path, applied, lines } = watched(null)
    writeFileSync(path, 'a: 1')
    await until(() => applied.length > 0, 'the file is applied')
    assert.deepEqual(lines, [])
  })

  test('is tried again when the fault was not in it', async () => {
    const { path, applied, lines, fail } = watched('a: 1')
    fail(new Error('the database is away'))
    writeFileSync(path, 'a: 2')
    await until(() => lines.length > 0, 'the failure is told')
    fail(null)
    await until(() => applied.length > 0, 'it is applied after all')
    assert.deepEqual(applied, ['a: 2'])
  })

  test('is left alone after the end', async () => {
    const { path, applied, stop } = watched('a: 1')
    await stop()
    writeFileSync(path, 'a: 2')
    await pause(300)
    assert.deepEqual(applied, [])
  })
})

const FILE = (model: string) => `
workspaces: { default: { routes: { fast: { chain: [{ provider: openai, model: ${model} }] } } } }`

test('edits under load: each takes effect without a restart, bad ones change nothing, no call fails', async () => {
  const harness = await startHarness({ config: FILE('gpt-5.4-mini') })
  ends.push(() => harness.stop())
  const path = join(harness.folder, 'switchyard.yaml')
  const failed: unknown[] = []
  let served = ''
  let running = true
  const load = Array.from({ length: 4 }, async () => {
    while (running) {
      const answer = await harness.chat(hello('fast'))
      if (answer.status !== 200) failed.push(answer.text)
      served = answer.headers.get('x-gateway-model') ?? ''
    }
  })
  await until(() => served === 'gpt-5.4-mini', 'calls are served')
  writeFileSync(path, FILE('gpt-5.4-nano'))
  await until(() => served === 'gpt-5.4-nano', 'the edit is in force')
  writeFileSync(path, FILE('gpt-5.4').replace('openai', 'nobody'))
  writeFileSync(join(harness.folder, 'next'), FILE('gpt-5.4').slice(0, -3))
  renameSync(join(harness.folder, 'next'), path)
  await pause(300)
  assert.equal(served, 'gpt-5.4-nano')
  writeFileSync(path, FILE('gpt-5.4'))
  await until(() => served === 'gpt-5.4', 'the mended file is in force')
  running = false
  await Promise.all(load)
  assert.deepEqual(failed, [])
})

test('a key that an edit names is made and belongs to the file', async () => {
  const harness = await startHarness({ config: '{}' })
  ends.push(() => harness.stop())
  writeFileSync(join(harness.folder, 'switchyard.yaml'), 'workspaces: { default: { keys: { nightly: {} } } }')
  const keys = () =>
    harness.gateway.store.db.selectFrom('keys').select('managed_by').where('name', '=', 'nightly').execute()
  await until(async () => (await keys()).length === 1, 'the key is made')
  assert.deepEqual(await keys(), [{ managed_by: 'config' }])
})

test('serve prints the value of a key that an edit has made, once, and not to its log', async () => {
  const folder = newFolder()
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'switchyard.yaml'), '{}')
  const started = startProcess({ folder })
  ends.push(() => started.stop())
  await started.url()
  writeFileSync(join(folder, 'switchyard.yaml'), 'workspaces: { default: { keys: { nightly: {} } } }')
  await until(() => started.stdout().includes('key nightly'), 'the key is printed')
  const value = /key nightly +(gw_live_\w{32}) /.exec(started.stdout())?.[1] ?? 'none'
  assert.ok(!started.stderr().includes(value))
  const answer = await fetch(`${await started.url()}/v1/models`, { headers: { authorization: `Bearer ${value}` } })
  assert.equal(answer.status, 200)
})
