import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { after, describe, test } from 'node:test'
import { SETTINGS } from '../../src/app/config.ts'
import { requireDebianPackage } from '../debian-package.ts'
import { knownVariables, ROOT, readManifest, secondsOf } from './manifest.ts'

const FILE = 'deploy/compose/compose.yaml'
const [compose] = readManifest(FILE)
const { 'gateway-1': first, 'gateway-2': second, front, postgres, valkey } = compose.services
const folder = mkdtempSync(join(tmpdir(), 'switchyard-nginx-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the compose file of several gateways', () => {
  test('has two gateways that differ in their name and their volume, and in nothing else', () => {
    const own = ['gateway-1', 'gateway-2'].map((name) => ({ hostname: name, volumes: [`${name}:/data`] }))
    assert.deepEqual({ ...first, ...own[0] }, first)
    assert.deepEqual({ ...second, ...own[1] }, second)
    assert.deepEqual({ ...first, ...own[1] }, second)
    assert.match(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'), /DATA_DIR=\/data\b/)
  })

  test('gives them only variables there are', () => {
    const known = knownVariables()
    const unknown = Object.keys(first.environment).filter((name) => !known.has(name))
    assert.deepEqual(unknown, [])
  })

  test('names volumes and services that it declares', () => {
    const services = Object.values(compose.services) as { volumes?: string[]; depends_on?: object }[]
    const mounts = services.flatMap(({ volumes = [] }) => volumes).map((mount) => mount.split(':')[0] ?? '')
    const files = mounts.filter((source) => source.startsWith('.'))
    const volumes = mounts.filter((source) => !source.startsWith('.'))
    assert.deepEqual(volumes.sort(), Object.keys(compose.volumes).sort())
    for (const file of files)
      assert.ok(existsSync(join(ROOT, normalize(join(dirname(FILE), file)))), `${file} is missing`)
    for (const { depends_on = {} } of services)
      for (const name of Object.keys(depends_on)) assert.ok(compose.services[name]?.healthcheck, `${name} has no check`)
  })

  test('lets calls in flight finish, and finds out by /readyz who can serve', () => {
    const drain = SETTINGS.DRAIN_SECONDS.parse(undefined)
    assert.equal(first.environment.DRAIN_SECONDS, `\${DRAIN_SECONDS:-${drain}}`)
    for (const service of [first, second, front]) assert.ok(secondsOf(service.stop_grace_period) > drain)
    assert.match(first.healthcheck.test.join(' '), /\/readyz/)
  })

  test('has no password in it and does not start without', () => {
    const secrets = [first.environment.DATABASE_URL, first.environment.REDIS_URL, first.environment.SECRETS_KEY]
    secrets.push(first.environment.ADMIN_KEY, first.environment.GATEWAY_KEY, postgres.environment.POSTGRES_PASSWORD)
    secrets.push(valkey.command.at(-1))
    for (const value of secrets) assert.match(value, /\$\{[A-Z_]+:\?/)
  })

  test('keeps the counters across the death of Valkey and never evicts one', () => {
    const command = valkey.command.join(' ')
    assert.match(command, /--appendonly yes/)
    assert.match(command, /--maxmemory-policy noeviction/)
  })
})

describe('the compose file that adds a port for administration', () => {
  const [added] = readManifest('deploy/compose/admin-port.yaml')

  test('adds it to each gateway, reachable from this machine only, and to nobody else', () => {
    const gateways = Object.keys(compose.services).filter((name) => name.startsWith('gateway-'))
    assert.deepEqual(Object.keys(added.services), gateways)
    const published = gateways.map((name) => {
      const { environment, ports } = added.services[name]
      assert.deepEqual(Object.keys(environment), ['ADMIN_PORT'])
      const [address, outside, inside] = ports[0].split(':')
      assert.deepEqual([address, inside], ['127.0.0.1', environment.ADMIN_PORT])
      assert.equal(SETTINGS.ADMIN_PORT.parse(inside), Number(inside))
      return outside
    })
    assert.equal(new Set([...published, '8080']).size, gateways.length + 1)
  })

  test('is an option of the compose file of one gateway too', () => {
    const { gateway } = readManifest('compose.yaml')[0].services
    assert.ok(gateway.environment.includes('ADMIN_PORT'))
    assert.match(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), /# - 127\.0\.0\.1:9090:9090$/m)
  })
})

describe('the load balancer', () => {
  const proxy = readFileSync(join(ROOT, 'deploy/nginx/proxy.conf'), 'utf8')
  const config = readFileSync(join(ROOT, 'deploy/compose/nginx.conf'), 'utf8')

  test('is configured with what nginx takes', () => {
    requireDebianPackage('nginx', () => existsSync('/usr/sbin/nginx'))
    const own = config
      .replace('/etc/nginx/proxy.conf', join(ROOT, 'deploy/nginx/proxy.conf'))
      // The image has a newer nginx than Debian (1.27.3 introduced this keyword), and this host name does not exist
      // here.
      .replaceAll(/gateway-(\d):8080 resolve/g, '127.0.0.1:808$1')
      .replace('http {', `pid ${folder}/nginx.pid;\nhttp {`)
    const path = join(folder, 'nginx.conf')
    writeFileSync(path, own)
    const check = () => execFileSync('/usr/sbin/nginx', ['-t', '-q', '-c', path, '-e', join(folder, 'error.log')])
    check()
    writeFileSync(path, own.replace('least_conn', 'least_con'))
    assert.throws(check)
  })

  test('sends calls to the gateways that there are', () => {
    const servers = [...config.matchAll(/server (gateway-\d):(\d+) resolve/g)].map((match) => match.slice(1))
    assert.deepEqual(servers, [
      ['gateway-1', '8080'],
      ['gateway-2', '8080'],
    ])
    assert.deepEqual(front.ports, ['127.0.0.1:8080:8080'])
    assert.match(config, /listen 8080;/)
  })

  test('never repeats a POST that has been sent, and leaves it to the gateway to refuse a large body', () => {
    const directives = proxy.replaceAll(/#.*/g, '')
    assert.match(directives, /proxy_next_upstream error timeout;/)
    assert.doesNotMatch(directives, /non_idempotent|http_5/)
    const [, megabytes = '0'] = /client_max_body_size (\d+)m;/.exec(directives) ?? []
    assert.ok(Number(megabytes) * 1024 * 1024 > SETTINGS.MAX_BODY_BYTES.parse(undefined))
    assert.match(directives, new RegExp(`client_body_buffer_size ${megabytes}m;`))
  })
})
