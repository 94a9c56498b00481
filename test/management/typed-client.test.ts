import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { CONFIG } from '../../demo/config.ts'
import { createPerson } from '../../src/store/control/people.ts'
import { ADMIN_KEY, KEY, startHarness } from '../harness.ts'
import { leaveUnconfirmed } from './manage.ts'

const run = promisify(execFile)
const PROGRAM = join(import.meta.dirname, 'typed-client/program.ts')
const PROJECT = join(import.meta.dirname, '../..')

/** The generator writes with a compiler API that TypeScript 7 no longer has; this package brings one, and no second `tsc`. */
async function generateTypes(document: string): Promise<string> {
  const compiler = import.meta.resolve('@ts-morph/common')
  const source = `import common from ${JSON.stringify(compiler)}; export default common.ts`
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'typescript'
        ? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
        : next(name, context),
  })
  const { default: generate, astToString } = await import('openapi-typescript')
  hooks.deregister()
  return astToString(await generate(document, { defaultNonNullable: false }))
}

async function output(command: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout, stderr } = await run(command, args, { cwd })
    return stdout + stderr
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return `${stdout}${stderr}` || String(error)
  }
}

test('a client generated from /openapi.json compiles, and makes every call', async () => {
  const environment = { SIMULATED_LOCAL: 'http://127.0.0.1:9/v1', SECRETS_KEY: 'a-key-for-stored-content' }
  const harness = await startHarness({ config: CONFIG, environment })
  try {
    const document = await harness.get('/openapi.json', {})
    const folder = join(harness.folder, 'client')
    mkdirSync(folder)
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
    copyFileSync(PROGRAM, join(folder, 'program.ts'))
    writeFileSync(join(folder, 'schema.ts'), await generateTypes(document.text))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const { compilerOptions } = JSON.parse(readFileSync(join(PROJECT, 'tsconfig.json'), 'utf8'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
    assert.equal(await output(process.execPath, [tsc, '--project', folder], folder), '')

    const who = { issuer: 'https://id.example', subject: 'ada', email: null, name: null }
    const access = { role: 'viewer', workspaces: null } as const
    const person = await createPerson(harness.gateway.store.db, { ...who, access, roleFrom: 'groups' }, Date.now())
    await leaveUnconfirmed(harness)
    const args = [join(folder, 'program.ts'), harness.url, ADMIN_KEY, KEY, person.id]
    assert.equal(await output(process.execPath, args, folder), '')
  } finally {
    await harness.stop()
  }
})
