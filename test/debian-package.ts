import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Installs one of Debian's packages when what it brings is missing: a test that needs it is never skipped. */
export function requireDebianPackage(name: string, isPresent: () => boolean): void {
  if (isPresent()) return
  process.stderr.write(`installing Debian's package ${name} …\n`)
  const script = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${name}`
  // Test files run side by side; the package manager works for one at a time.
  execFileSync('flock', [join(tmpdir(), 'switchyard-apt.lock'), 'sh', '-c', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!isPresent()) throw new Error(`Debian's package ${name} does not bring what is needed`)
}
