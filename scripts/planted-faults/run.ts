import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults.ts'

const HELP = `Usage: npm run prove:faults [-- --only TEXT]

Plants mistakes into a copy of the gateway, one by one, and says which of them switchyard prove does not find.
`
const ROOT = join(import.meta.dirname, '../..')
const COPIED = ['src', 'simulator', 'demo', 'prove', 'package.json', 'tsconfig.json']

type Found = 'found' | 'not found' | 'does not start'

/** The copy runs from its sources: nothing has to be built for a fault. */
async function tryFault(copy: string, { proof, file, instead, write }: Fault): Promise<Found> {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(instead).length !== 2) throw new Error(`${file} does not have exactly once: ${instead}`)
  writeFileSync(
    path,
    text.replace(instead, () => write),
  )
  try {
    const size = proof === 'memory' ? [] : ['--quick']
    const { code, stdout, stderr } = await run(copy, ['prove', ...size, '--json', '--only', proof, '--seed', '1'])
    if (code === 0) return 'not found'
    const problems: string[] = code === 1 ? JSON.parse(stdout).proofs[0].problems : [stderr]
    process.stdout.write(`    ${problems[0]?.slice(0, 160).replaceAll('\n', ' ')}\n`)
    return problems[0]?.includes('did not start') === true || code !== 1 ? 'does not start' : 'found'
  } finally {
    writeFileSync(path, text)
  }
}

function run(copy: string, args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(copy, 'src/cli/main.ts'), ...args], { cwd: copy })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

async function main(): Promise<number> {
  const options = { only: { type: 'string' }, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ options })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const faults = FAULTS.filter(({ proof, name }) => `${proof}: ${name}`.includes(values.only ?? ''))
  const copy = mkdtempSync(join(tmpdir(), 'switchyard-faults-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  let missed = 0
  for (const [place, fault] of faults.entries()) {
    const found = await tryFault(copy, fault)
    if (found !== 'found') missed++
    process.stdout.write(`${place + 1}/${faults.length} ${found}: ${fault.proof}: ${fault.name}\n`)
  }
  process.stdout.write(
    missed === 0 ? `All ${faults.length} were found.\n` : `${missed} of ${faults.length} were not.\n`,
  )
  return missed === 0 ? 0 : 1
}

process.exitCode = await main()
