import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../../src/app/config.ts'
import { ROOT } from './manifest.ts'

const unit = readFileSync(join(ROOT, 'deploy/systemd/switchyard@.service'), 'utf8')
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

test('the unit for systemd starts what npm start does, in a folder of each node, and lets calls finish', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.equal(setting('ExecStart').replace(/^.*\/node /, 'node '), scripts.start)
  assert.ok(Number(setting('TimeoutStopSec')) > SETTINGS.DRAIN_SECONDS.parse(undefined))
  const variables = setting('Environment').split(' ')
  assert.ok(variables.includes(`DATA_DIR=/var/lib/${setting('StateDirectory')}`))
  for (const variable of variables) assert.ok((variable.split('=')[0] ?? '') in SETTINGS, `there is no ${variable}`)
})
