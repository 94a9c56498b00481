import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { copyProject } from '../copy-project.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-npm-start-'))
before(() => copyProject(folder))
after(() => rmSync(folder, { recursive: true, force: true }))

/** What a whole life of `npm start` prints, ended by Ctrl-C once it serves. */
async function npmStart(): Promise<{ stdout: string; stderr: string }> {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...environment, PATH, PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' },
    // A terminal sends Ctrl-C to the whole group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let asked = false
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    if (asked || !/(serves|works) on http/.test(stdout)) return
    asked = true
    process.kill(-(child.pid ?? 0), 'SIGINT')
  })
  await once(child, 'close')
  assert.ok(asked, `it never served: ${stdout}${stderr}`)
  return { stdout, stderr }
}

test('npm start builds what it runs in a fresh clone, once, and again when a source has changed', async () => {
  assert.ok(!existsSync(join(folder, 'dist')))
  const unbuilt = spawnSync(process.execPath, [join(folder, 'bin/switchyard.cjs'), '--help'], { encoding: 'utf8' })
  assert.equal(unbuilt.status, 2)
  assert.equal(
    unbuilt.stderr,
    'This clone has no built program yet. Run npm run build, or type npm run -s switchyard -- instead.\n',
  )
  const first = await npmStart()
  assert.match(first.stderr, /^Building the gateway, once …\nBuilt the gateway in [\d.]+ s\.$/m)
  assert.match(first.stdout, /serves on http/)

  const second = await npmStart()
  assert.doesNotMatch(second.stderr, /Building/)
  assert.match(second.stdout, /serves on http/)

  const source = join(folder, 'src/cli/welcome.ts')
  const text = readFileSync(source, 'utf8')
  assert.ok(text.includes('serves on'))
  writeFileSync(source, text.replaceAll('serves on', 'works on'))
  const third = await npmStart()
  assert.match(third.stderr, /^Building the gateway, once …\nBuilt the gateway in [\d.]+ s\.$/m)
  assert.match(third.stdout, /works on http/)
})
