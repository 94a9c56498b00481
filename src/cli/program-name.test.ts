import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programName } from './program-name.ts'

const CLONE = { npm_package_name: 'switchyard' }
const table: [how: string, environment: Record<string, string>, script: string, name: string][] = [
  ['npx', { npm_command: 'exec' }, '/home/x/.npm/_npx/1/node_modules/.bin/switchyard', 'npx switchyard'],
  ['npm start in a clone', { ...CLONE, npm_command: 'start' }, '/clone/dist/switchyard.js', 'npm run -s switchyard --'],
  ['npm run in a clone', { ...CLONE, npm_command: 'run' }, '/clone/src/cli/main.ts', 'npm run -s switchyard --'],
  ['the same, as older npm says it', { ...CLONE, npm_command: 'run-script' }, '/clone/x', 'npm run -s switchyard --'],
  ['a script of another project', { npm_command: 'run', npm_package_name: 'app' }, '/app/x', 'npx switchyard'],
  ['a global installation', {}, '/usr/local/bin/switchyard', 'switchyard'],
  ['node in a clone', {}, '/clone/src/cli/main.ts', 'node /clone/src/cli/main.ts'],
]
for (const [how, environment, script, name] of table) {
  test(`by ${how} it is called ${name}`, () => assert.equal(programName(environment, script, null), name))
}

for (const tool of ['docker', 'podman'] as const) {
  test(`in a container of ${tool} it is called from outside`, () => {
    const name = programName({}, '/app/dist/switchyard.js', { tool, id: '3f2a' })
    assert.equal(programName({}, '/clone/x.js', { tool, id: '3f2a' }), 'node /clone/x.js')
    assert.equal(name, `${tool} exec -e ADMIN_KEY 3f2a node /app/dist/switchyard.js`)
  })
}
