import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import type { Json } from '../harness.ts'
import { knownVariables, ROOT, readManifest } from './manifest.ts'

const CHART = join(ROOT, 'deploy/helm/switchyard')
const run = promisify(execFile)
/** A helm that was built from its sources would say 1.20. */
const CLUSTER = ['--kube-version', '1.27.0']

/** Runners of CI have it; elsewhere `go install helm.sh/helm/v3/cmd/helm@latest` brings it. */
const places = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), 'go/bin')]
const helm = places.map((folder) => join(folder, 'helm')).find((path) => existsSync(path))
const skip = helm === undefined ? 'there is no helm' : false

/** What it renders, by kind and the end of the name. */
async function render(values: object, release = 'switchyard'): Promise<Map<string, Json>> {
  const given = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`])
  const { stdout } = await run(helm ?? '', ['template', release, CHART, '--namespace', 'llm', ...CLUSTER, ...given])
  const documents: Json[] = parseAllDocuments(stdout).flatMap((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS() ?? []
  })
  return new Map(documents.map((each) => [`${each.kind}/${each.metadata.name}`, each]))
}

const NODES = { mode: 'nodes', existingSecret: 'gateway-secrets' }
const EVERYTHING = {
  ...NODES,
  adminPort: { enabled: true, port: 8081 },
  autoscaling: { enabled: true, minReplicas: 3 },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], egress: [{ ports: [{ port: 4317 }] }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  config: 'routes:\n  fast: { chain: [{ provider: openai, model: gpt-5.4-mini }] }\n',
  env: { LOG_LEVEL: 'warn', SERVING_THREADS: 2 },
  persistence: { storageClass: 'fast' },
}

describe('the chart for Helm', { skip }, () => {
  test('passes its linter', async () => {
    await run(helm ?? '', ['lint', '--strict', ...CLUSTER, CHART])
  })

  test('runs one embedded gateway by default', async () => {
    const rendered = await render({})
    assert.deepEqual([...rendered.keys()].sort(), [
      'PodDisruptionBudget/switchyard',
      'Service/switchyard',
      'Service/switchyard-nodes',
      'StatefulSet/switchyard',
    ])
    const { replicas, template } = rendered.get('StatefulSet/switchyard').spec
    assert.equal(replicas, 1)
    assert.equal(template.spec.containers[0].envFrom, undefined)
  })

  test('runs nodes as the plain manifests do, with the same checks, drain, rights, volumes and variables', async () => {
    const [plain] = readManifest('deploy/kubernetes/stateful-set.yaml')
    const { spec } = (await render(NODES)).get('StatefulSet/switchyard')
    const pod = (of: Json) => {
      const { containers, ...rest } = of.template.spec
      const { env, envFrom: _, image: _image, imagePullPolicy: _policy, ...container } = containers[0]
      const fixed = env.filter(({ valueFrom }: Json) => valueFrom === undefined)
      return { rest, container, fixed }
    }
    const withoutLabels = ({ rest, ...others }: ReturnType<typeof pod>) => {
      const [{ labelSelector: _, ...spread }] = rest.topologySpreadConstraints
      return { ...others, rest: { ...rest, topologySpreadConstraints: [spread] } }
    }
    assert.deepEqual(withoutLabels(pod(spec)), withoutLabels(pod(plain.spec)))
    const around = ({ template: _, selector: _selector, ...others }: Json) => others
    assert.deepEqual(around(spec), around(plain.spec))
    assert.deepEqual(spec.template.spec.containers[0].envFrom, [{ secretRef: { name: 'gateway-secrets' } }])
  })

  test('has all its parts find each other, under any name of the release', async () => {
    const rendered = await render(EVERYTHING, 'blue')
    const get = (kind: string, end = '') => rendered.get(`${kind}/blue-switchyard${end}`)
    const { spec } = get('StatefulSet')
    const labels = spec.selector.matchLabels
    const isPart = (of: Json, whole: Json) => assert.deepEqual({ ...whole, ...of }, whole)
    isPart(labels, spec.template.metadata.labels)
    const [container] = spec.template.spec.containers
    const ports = container.ports.map(({ name }: Json) => name)
    for (const end of ['', '-nodes', '-admin']) {
      const { selector, ports: of } = get('Service', end).spec
      assert.deepEqual(selector, labels)
      for (const { targetPort } of of) assert.ok(ports.includes(targetPort), targetPort)
    }
    assert.equal(spec.serviceName, get('Service', '-nodes').metadata.name)
    assert.deepEqual(get('PodDisruptionBudget').spec.selector.matchLabels, labels)
    assert.equal(get('HorizontalPodAutoscaler').spec.scaleTargetRef.name, get('StatefulSet').metadata.name)
    // The autoscaler alone says how many there are.
    assert.equal(spec.replicas, undefined)
    const policy = get('NetworkPolicy').spec
    assert.deepEqual(policy.podSelector.matchLabels, labels)
    assert.deepEqual(policy.ingress[0].ports.map(({ port }: Json) => port).sort(), ports.sort())
    assert.deepEqual(policy.egress.at(-1), { ports: [{ port: 4317 }] })
    const monitor = get('ServiceMonitor')
    assert.equal(monitor.metadata.labels.release, 'prometheus')
    isPart(monitor.spec.selector.matchLabels, get('Service', '-nodes').metadata.labels)
    assert.equal(get('Service', '-nodes').metadata.labels[monitor.spec.jobLabel], 'switchyard')
    assert.equal(monitor.spec.endpoints[0].port, get('Service', '-nodes').spec.ports[0].name)
    // Only the nodes, or each gateway would be scraped twice.
    assert.notEqual(get('Service').metadata.labels['app.kubernetes.io/component'], 'nodes')
    const known = knownVariables()
    assert.deepEqual(
      container.env.filter(({ name, value }: Json) => !known.has(name) || typeof value !== 'string'),
      [],
    )
    const mounted = container.volumeMounts.map(({ name }: Json) => name)
    const volumes = [...spec.template.spec.volumes, ...spec.volumeClaimTemplates.map(({ metadata }: Json) => metadata)]
    assert.deepEqual(mounted.sort(), volumes.map(({ name }: Json) => name).sort())
    assert.equal(get('ConfigMap').data['switchyard.yaml'], EVERYTHING.config)
    assert.equal(spec.volumeClaimTemplates[0].spec.storageClassName, 'fast')
  })

  const refusals: [string, object, RegExp][] = [
    ['nodes without a secret', { mode: 'nodes' }, /mode nodes needs existingSecret/],
    ['an embedded gateway that grows', { autoscaling: { enabled: true } }, /autoscaling needs mode nodes/],
    ['a value that there is not', { replica: 3 }, /replica/],
    ['a mode that there is not', { mode: 'cluster' }, /mode/],
  ]
  for (const [name, values, message] of refusals) {
    test(`refuses ${name}`, () => assert.rejects(render(values), { message }))
  }
})

describe('the chart, as it is written', () => {
  const read = (name: string) => readFileSync(join(CHART, name), 'utf8')

  test('has the version of the gateway', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const chart = parse(read('Chart.yaml')) as Json
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
  })

  test('has a schema for each of its values, and uses each', () => {
    const schema = JSON.parse(read('values.schema.json')) as Json
    const templates = globSync('templates/*', { cwd: CHART }).map(read).join('')
    const values = parse(read('values.yaml')) as Json
    const { global: _, ...properties } = schema.properties
    assert.deepEqual(Object.keys(properties).sort(), Object.keys(values).sort())
    for (const [name, value] of Object.entries(values)) {
      const inner = properties[name].properties
      if (inner !== undefined) assert.deepEqual(Object.keys(inner).sort(), Object.keys(value as object).sort(), name)
      for (const part of inner === undefined ? [''] : Object.keys(inner).map((key) => `.${key}`))
        assert.ok(templates.includes(`.Values.${name}${part}`), `${name}${part} is not used`)
    }
  })
})
