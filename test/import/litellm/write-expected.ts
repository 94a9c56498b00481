import { mkdirSync, writeFileSync } from 'node:fs'
import { CORPUS, EXPECTED, goldenPath, goldenText, importCorpus } from './corpus.ts'

/** `node test/import/litellm/write-expected.ts --write`, and then read the difference. */
if (!process.argv.includes('--write')) throw new Error('--write overwrites what the tests expect')
mkdirSync(EXPECTED, { recursive: true })
for (const file of CORPUS) writeFileSync(goldenPath(file), goldenText(await importCorpus(file)))
