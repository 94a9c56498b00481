import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { launch } from '../child-process.ts'
import { fixedPort } from '../fixed-port.ts'
import { until } from '../harness.ts'

/** A version of the gateway as it was at a tag or commit. */
export interface OlderProgram {
  ref: string
  folder: string
}

/** Checks it out beside, with our packages where they are the same, with its own where they are not. */
export function checkOut(ref: string, into: string): OlderProgram {
  const folder = join(into, ref.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', ref], { maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  if (hasOurPackages(folder)) symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  return { ref, folder }
}

/** Whether every package that it runs with is here in the version it asks for. */
function hasOurPackages(folder: string): boolean {
  const wanted = packagesOf(folder)
  const here = packagesOf('.')
  return Object.entries(wanted).every(([name, version]) => here[name] === version)
}

function packagesOf(folder: string): Record<string, string> {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
    .dependencies
}

export interface Serving {
  url: string
  child: ChildProcess
}

/** From its sources: nothing of it needs to be built. Rejects with its words when it does not serve. */
export async function serveOlder(
  { folder }: OlderProgram,
  environment: Readonly<Record<string, string>>,
): Promise<Serving> {
  const port = await fixedPort()
  const url = `http://127.0.0.1:${port}`
  const child = launch({
    command: process.execPath,
    args: [join(folder, 'src/cli/main.ts'), 'serve'],
    env: { ...environment, PORT: String(port) },
    cwd: folder,
  })
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  child.stdout?.resume()
  const serves = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(async () => child.exitCode !== null || (await serves()), 'the older gateway serves')
  if (child.exitCode !== null) throw new Error(`the older gateway ended: ${said}`)
  return { url, child }
}
