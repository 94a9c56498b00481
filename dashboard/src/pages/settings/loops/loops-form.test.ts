import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopSettings } from '../../../../../src/domain/loops/settings.ts'
import { isLoopsWhole, type LoopsForm, loopsForm, loopsOf, SIGNALS, SLOW_SECONDS, STOP_MINUTES } from './loops-form.ts'

const stored: LoopSettings = {
  same_tool_call: { times: 8, action: 'stop' },
  spend_times_usual: { times: 2.5, usd: 0.5, action: 'slow' },
  slow_seconds: 20,
  stop_minutes: 5,
}

test('what a form says is what it was made from', () => {
  assert.deepEqual(loopsOf(loopsForm(stored)), stored)
  assert.equal(loopsOf(loopsForm(null)), null)
  assert.equal(loopsOf({ ...loopsForm(stored), isOn: false }), null)
})

test('switched on, it alerts on every signal as the gateway accepts it', () => {
  const form = { ...loopsForm(null), isOn: true }
  const settings = LoopSettings.parse(loopsOf(form))
  for (const { signal } of SIGNALS) assert.equal(settings[signal]?.action, 'alert')
  assert.equal(isLoopsWhole(form), true)
})

test('the bounds of the form are those of the gateway', () => {
  const accepts = (form: LoopsForm) => LoopSettings.safeParse(loopsOf(form)).success
  const base = { ...loopsForm(null), isOn: true }
  const withThreshold = (signal: (typeof SIGNALS)[number]['signal'], name: string, value: number): LoopsForm => ({
    ...base,
    signals: {
      ...base.signals,
      [signal]: { action: 'stop', thresholds: { ...base.signals[signal].thresholds, [name]: value } },
    },
  })
  const forms = SIGNALS.flatMap(({ signal, thresholds }) =>
    thresholds.map((field) => ({ field, of: (value: number) => withThreshold(signal, field.name, value) })),
  )
  const all = [
    ...forms,
    { field: SLOW_SECONDS, of: (slowSeconds: number) => ({ ...base, slowSeconds }) },
    { field: STOP_MINUTES, of: (stopMinutes: number) => ({ ...base, stopMinutes }) },
  ]
  for (const { field, of } of all) {
    const step = Number.isInteger(field.min) ? 1 : 0.001
    for (const value of [field.min, field.max, field.min - step, field.max + step]) {
      assert.equal(isLoopsWhole(of(value)), accepts(of(value)), `${field.name} ${value}`)
    }
    assert.equal(isLoopsWhole(of(field.min)), true, field.name)
  }
})

test('it watches something with every figure, or is off', () => {
  const off = loopsForm(stored)
  const signals = Object.fromEntries(SIGNALS.map(({ signal }) => [signal, { ...off.signals[signal], action: '' }]))
  assert.equal(isLoopsWhole({ ...off, signals: signals as LoopsForm['signals'] }), false)
  const tool = { action: 'stop' as const, thresholds: { times: '' } }
  assert.equal(isLoopsWhole({ ...off, signals: { ...off.signals, same_tool_call: tool } }), false)
  assert.equal(isLoopsWhole({ ...off, isOn: false, signals: { ...off.signals, same_tool_call: tool } }), true)
})
