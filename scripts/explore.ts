import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { reaches } from '../test/starts-processes.ts'

/**
 * Every property and fuzz test with fresh seeds, which are printed: `npm run test:explore -- --rounds 5 src/limits`.
 * What fails is repeated with TEST_SEED, fixed, and added to its property as an example.
 */
process.chdir(join(import.meta.dirname, '..'))
const words = process.argv.slice(2)
const at = words.indexOf('--rounds')
const rounds = at === -1 ? 1 : Number(words[at + 1])
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on.')
const wanted = at === -1 ? words : words.toSpliced(at, 2)

const files = globSync('{src,test}/**/*.test.ts', { exclude: ['test/agents/**'] })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => reaches(file, 'test/property.ts'))
  .sort()
if (files.length === 0) throw new Error(`No property or fuzz test has a path that contains ${wanted.join(' or ')}.`)

let failed = 0
for (let round = 1; round <= rounds; round++) {
  const seed = randomInt(2 ** 31)
  console.log(`round ${round} of ${rounds}: ${files.length} files, TEST_SEED=${seed}`)
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=dot', '--test-concurrency=2', ...files], {
    env: { ...process.env, NIGHTLY: '1', TEST_SEED: String(seed) },
    stdio: 'inherit',
  })
  if (status === 0) continue
  failed += 1
  console.log(`\nround ${round} failed. Repeat it with: TEST_SEED=${seed} npx node --test FILE`)
}
console.log(failed === 0 ? '\nevery round passed' : `\n${failed} of ${rounds} rounds failed`)
process.exitCode = failed === 0 ? 0 : 1
