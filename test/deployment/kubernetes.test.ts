import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ConfigError, readConfig, SETTINGS } from '../../src/app/config.ts'
import { PROVIDER_KINDS } from '../../src/providers/provider-kinds.ts'
import type { Json } from '../harness.ts'
import { knownVariables, ROOT, readManifest } from './manifest.ts'

const FOLDER = 'deploy/kubernetes'
const read = (name: string) => readManifest(join(FOLDER, name))
const [kustomization] = read('kustomization.yaml')
const [set] = read('stateful-set.yaml')
const services: Json[] = read('services.yaml')
const [budget] = read('pod-disruption-budget.yaml')
const [secret] = read('secret.example.yaml')
const pod = set.spec.template.spec
const [container] = pod.containers

describe('the manifests for Kubernetes', () => {
  test('are all named by the kustomization, but for the secret', () => {
    const files = readdirSync(join(ROOT, FOLDER)).filter(
      (name) => /\.yaml$/.test(name) && !/^(kustomization|secret\.example)\.yaml$/.test(name),
    )
    assert.deepEqual([...kustomization.resources].sort(), files.sort())
    assert.equal(kustomization.images[0].name, container.image)
  })

  test('find each other: labels, services, ports, volumes', () => {
    const labels = set.spec.template.metadata.labels
    assert.deepEqual(set.spec.selector.matchLabels, labels)
    assert.deepEqual(budget.spec.selector.matchLabels, labels)
    assert.deepEqual(pod.topologySpreadConstraints[0].labelSelector.matchLabels, labels)
    for (const { spec } of services) {
      assert.deepEqual(spec.selector, labels)
      assert.equal(spec.ports[0].targetPort, container.ports[0].name)
    }
    const headless = services.find(({ metadata }) => metadata.name === set.spec.serviceName)
    assert.equal(headless.spec.clusterIP, 'None')
    const volumes = [...pod.volumes, ...set.spec.volumeClaimTemplates.map(({ metadata }: Json) => metadata)]
    const mounted = container.volumeMounts.map(({ name }: Json) => name)
    assert.deepEqual(mounted.sort(), volumes.map(({ name }) => name).sort())
  })

  test('set only variables there are, from keys that the secret has', () => {
    const known = knownVariables()
    const variables: { name: string; value?: string; valueFrom?: Json }[] = container.env
    assert.deepEqual(
      variables.filter(({ name }) => !known.has(name)),
      [],
    )
    const references = variables.flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [valueFrom.secretKeyRef]))
    for (const { name } of references) assert.equal(name, secret.metadata.name)
    assert.deepEqual(references.map(({ key }) => key).sort(), Object.keys(secret.stringData).sort())
  })

  test('keep the spool on a volume of each pod, which outlives it', () => {
    const dataDir = container.env.find(({ name }: Json) => name === 'DATA_DIR').value
    const mount = container.volumeMounts.find(({ mountPath }: Json) => mountPath === dataDir)
    assert.equal(mount.name, set.spec.volumeClaimTemplates[0].metadata.name)
    assert.deepEqual(set.spec.persistentVolumeClaimRetentionPolicy, { whenScaled: 'Retain', whenDeleted: 'Retain' })
  })

  test('let a pod leave the service, then finish its calls, then end', () => {
    const [command, pause] = container.lifecycle.preStop.exec.command
    assert.equal(command, 'sleep')
    const drain = Number(container.env.find(({ name }: Json) => name === 'DRAIN_SECONDS').value)
    assert.ok(pod.terminationGracePeriodSeconds > Number(pause) + drain)
    // Two looks at /readyz fit into the pause.
    const { periodSeconds, failureThreshold } = container.readinessProbe
    assert.ok(Number(pause) > periodSeconds * failureThreshold)
  })

  test('ask the paths that the gateway answers, on the port where it listens', () => {
    const routes = readFileSync(join(ROOT, 'src/app/http-routes.ts'), 'utf8')
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    assert.deepEqual(
      probes.map(({ httpGet }) => httpGet.path),
      ['/healthz', '/healthz', '/readyz'],
    )
    for (const { httpGet } of probes) {
      assert.equal(httpGet.port, container.ports[0].name)
      assert.ok(routes.includes(`path: '${httpGet.path}'`))
    }
    const port = container.env.find(({ name }: Json) => name === 'PORT').value
    assert.equal(SETTINGS.PORT.parse(port), container.ports[0].containerPort)
  })

  test('can have a port of its own for administration: a component that adds to what is there', () => {
    const [component] = read('admin-port/kustomization.yaml')
    const [service] = read('admin-port/service.yaml')
    const [patch] = read('admin-port/stateful-set.yaml')
    const [nodes] = read('admin-port/services.yaml')
    const named = [...component.resources, ...component.patches.map(({ path }: Json) => path)]
    const files = readdirSync(join(ROOT, FOLDER, 'admin-port')).filter((name) => name !== 'kustomization.yaml')
    assert.deepEqual(named.sort(), files.sort())
    assert.deepEqual([patch.kind, patch.metadata.name], [set.kind, set.metadata.name])
    const [added] = patch.spec.template.spec.containers
    assert.equal(added.name, container.name)
    assert.deepEqual(
      added.env.map(({ name }: Json) => name),
      ['ADMIN_PORT'],
    )
    const [port] = added.ports
    assert.equal(SETTINGS.ADMIN_PORT.parse(added.env[0].value), port.containerPort)
    assert.notEqual(port.containerPort, container.ports[0].containerPort)
    assert.deepEqual(service.spec.selector, set.spec.template.metadata.labels)
    assert.equal(nodes.metadata.name, set.spec.serviceName)
    for (const { spec } of [service, nodes]) assert.equal(spec.ports[0].targetPort, port.name)
    const publicNames = services.filter(({ spec }) => spec.clusterIP !== 'None').map(({ metadata }) => metadata.name)
    assert.ok(!publicNames.includes(service.metadata.name), 'calls and administration are two services')
  })

  test('run without rights, as the user of the image', () => {
    assert.equal(pod.securityContext.runAsNonRoot, true)
    assert.equal(container.securityContext.readOnlyRootFilesystem, true)
    assert.equal(container.securityContext.allowPrivilegeEscalation, false)
    assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
    // Kubernetes wants a number; in Node's images the user "node" has this one.
    assert.equal(pod.securityContext.runAsUser, 1000)
    assert.match(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'), /^USER node$/m)
  })

  test('come with a secret that nobody can run with as it stands', () => {
    const refused = ['SECRETS_KEY', 'ADMIN_KEY', 'GATEWAY_KEY']
    for (const name of refused)
      assert.throws(
        () => readConfig({ [name]: secret.stringData[name] }, [], PROVIDER_KINDS),
        ConfigError,
        `${name} is taken`,
      )
    assert.match(secret.stringData.DATABASE_URL, /\?sslmode=verify-full$/)
    assert.match(secret.stringData.REDIS_URL, /^rediss:/)
  })
})
