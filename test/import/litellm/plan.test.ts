import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { stringify } from 'yaml'
import { parseFileConfig } from '../../../src/app/config.ts'
import { startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { CORPUS, filledFor, importCorpus } from './corpus.ts'

const gateway = await startHarness({ config: '{}' })
after(() => gateway.stop())
const manage = managing(() => gateway)

test('a running gateway would take every file of the corpus', async () => {
  for (const file of CORPUS) {
    const { config, variables } = await importCorpus(file)
    const body = parseFileConfig(stringify(config), file, filledFor(variables))
    const { status, text } = await manage('POST', '/config/plan', body)
    assert.equal(status, 200, `${file}: ${text}`)
  }
})
