import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parse } from 'yaml'

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}

interface Job {
  permissions?: Record<string, string>
  container?: string
  needs?: string | string[]
  'timeout-minutes'?: number
  steps: Step[]
}

interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const files = globSync('.github/workflows/*.yml')
const read = (file: string) => parse(readFileSync(file, 'utf8')) as Workflow
const jobsOf = (file: string) => Object.values(read(file).jobs)
const stepsOf = (file: string) => jobsOf(file).flatMap(({ steps }) => steps)
const commandsOf = (file: string) => stepsOf(file).flatMap(({ run }) => run ?? [])
const baseImages = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map((match) => match[1])

test('there is a workflow for changes, one for releases and one for the nights', () => {
  assert.deepEqual(
    files.sort(),
    ['ci', 'nightly', 'release'].map((name) => `.github/workflows/${name}.yml`),
  )
})

for (const file of files) {
  describe(file, () => {
    test('names every action by the digest of a commit, and says which version that is', () => {
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /\buses:/.test(line))
      assert.equal(lines.length, stepsOf(file).filter(({ uses }) => uses !== undefined).length)
      for (const line of lines) assert.match(line, /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    })

    test('may read the repository and nothing else, unless a job says so', () => {
      assert.deepEqual(read(file).permissions, { contents: 'read' })
      assert.equal('pull_request_target' in read(file).on, false)
      const checkouts = stepsOf(file).filter(({ uses }) => uses?.startsWith('actions/checkout@'))
      for (const checkout of checkouts) assert.equal(checkout.with?.['persist-credentials'], false)
    })

    test('puts nothing that others write into a command, and ends', () => {
      for (const command of commandsOf(file)) assert.doesNotMatch(command, /\$\{\{/)
      for (const job of jobsOf(file)) assert.ok((job['timeout-minutes'] ?? 360) <= 120)
    })

    const isNightly = file.endsWith('nightly.yml')
    const what = isNightly ? 'fresh seeds' : "the README's test command"
    test(`runs ${what}, in the image that the Dockerfile builds on`, () => {
      const command = isNightly ? /^npm run test:explore / : /^\.ci\/run$/
      const tests = jobsOf(file).filter(({ steps }) => steps.some(({ run = '' }) => command.test(run)))
      assert.deepEqual(
        tests.map(({ container }) => container),
        [baseImages[0]],
      )
    })
  })
}

test('changes are audited, listed and built into an image that runs without a network', () => {
  const commands = commandsOf('.github/workflows/ci.yml').join('\n')
  for (const wanted of ['npm audit --', 'scripts/audit-signatures.sh', 'npm sbom ', 'docker build ', '--network none'])
    assert.ok(commands.includes(wanted), wanted)
})

test('a release is tested first, and published with its provenance', () => {
  const { jobs } = read('.github/workflows/release.yml')
  const publishing = Object.values(jobs).filter(({ steps }) => steps.some(({ run }) => run?.includes('npm publish')))
  assert.equal(publishing.length, 1)
  const [job] = publishing
  assert.deepEqual([job?.needs, job?.permissions?.['id-token']], ['test', 'write'])
  assert.ok(job?.steps.some(({ run }) => run?.includes('--provenance')))
  assert.ok(job?.steps.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@')))
  assert.ok(job?.steps.some(({ run }) => run?.includes('npm sbom ')))
})

test('an image is pushed with its bill of materials and provenance, and its digest is signed', () => {
  const { image } = read('.github/workflows/release.yml').jobs
  assert.deepEqual([image?.needs, image?.permissions], ['publish', { contents: 'read', 'id-token': 'write' }])
  const commands = image?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? ''
  for (const wanted of ['--sbom=true', '--provenance=mode=max', '--password-stdin', 'cosign sign --yes "$image"'])
    assert.ok(commands.includes(wanted), wanted)
  assert.match(commands, /image="\$IMAGE@\$\(jq /)
})

test('the image is built on one digest', () => {
  assert.equal(new Set(baseImages).size, 1)
  assert.match(baseImages[0] ?? '', /^node:24\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/)
})
