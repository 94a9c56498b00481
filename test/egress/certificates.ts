import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireDebianPackage } from '../debian-package.ts'

export interface Issued {
  /** PEM of the authority. */
  ca: string
  key: string
  cert: string
}

/** Its own authority, and a certificate by it for these names. */
export function issue(folder: string, names: readonly string[]): Issued {
  requireDebianPackage('openssl', () => spawnSync('openssl', ['version']).status === 0)
  const file = (name: string) => join(folder, name)
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=An authority',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  )
  run('req', ...newKey, '-subj', '/CN=A provider', '-keyout', file('server.key'), '-out', file('server.csr'))
  writeFileSync(file('names'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`)
  const by = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial']
  run(
    'x509',
    '-req',
    '-in',
    file('server.csr'),
    ...by,
    '-days',
    '2',
    '-extfile',
    file('names'),
    '-out',
    file('server.pem'),
  )
  const read = (name: string) => readFileSync(file(name), 'utf8')
  return { ca: read('ca.pem'), key: read('server.key'), cert: read('server.pem') }
}
