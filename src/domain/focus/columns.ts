import { millisecondsOf, type Unit } from '../pricing/unit-prices.ts'
import type { Charge } from './charges.ts'

/** Charges of one UTC day that are alike, added up. */
export interface FocusRecord {
  /** Unix milliseconds. */
  day: number
  workspace: string
  keyId: string
  keyName: string | null
  charge: Charge
  /** Of what was booked later than it was charged: the month in which it is billed, and when it was charged. */
  booked?: { month: number; from: number; to: number; isCorrection: boolean }
}

type Value = string | { figure: string } | null

const DAY_MS = 86_400_000
const figure = (value: bigint, decimals = 12): Value => ({ figure: exactDecimal(value, decimals) })
const time = (at: number): Value => new Date(at).toISOString().replace('.000Z', 'Z')
const json = (value: Record<string, unknown>): Value => JSON.stringify(value)
const price = ({ charge: { priced } }: FocusRecord): Value => priced && { figure: priced.price }
const billed = ({ charge }: FocusRecord): Value => figure(charge.billed ?? 0n)
const isUsage = ({ charge: { priced, billed: amount } }: FocusRecord) => priced !== null || amount === null

/** What is counted; what the price is of, and how many of the counted that is. */
interface Measure {
  consumed: string
  pricing: string
  counts: bigint
}
const TOKENS: Measure = { consumed: 'Tokens', pricing: '1000000 Tokens', counts: 1_000_000n }
const NAMES: Readonly<Partial<Record<Unit, string>>> = { image: 'Images', character: 'Characters', page: 'Pages' }

function unitOf({ charge: { priced } }: FocusRecord): Measure {
  if (priced === null || priced.unit === 'tokens') return TOKENS
  const { unit } = priced
  const name = NAMES[unit] ?? 'Requests'
  const milliseconds = millisecondsOf(unit)
  if (milliseconds === null) return { consumed: name, pricing: `1000 ${name}`, counts: 1_000n }
  const time = `${unit.charAt(6).toUpperCase()}${unit.slice(7)}s`
  return { consumed: 'Milliseconds', pricing: `1000 ${time}`, counts: 1_000n * BigInt(milliseconds) }
}

/** To twelve decimals: exact but for time. */
function pricedQuantity(record: FocusRecord): Value {
  const { counts } = unitOf(record)
  return figure((record.charge.quantity * 1_000_000_000_000n + counts / 2n) / counts)
}

/** Every column of FOCUS 1.2 that has a meaning here, then our own. */
export const FOCUS_COLUMNS: readonly (readonly [name: string, value: (record: FocusRecord) => Value])[] = [
  ['BilledCost', billed],
  ['EffectiveCost', billed],
  ['ContractedCost', billed],
  ['ListCost', ({ charge }) => figure(charge.list)],
  ['BillingCurrency', () => 'USD'],
  ['BillingAccountId', () => 'switchyard'],
  ['BillingAccountName', () => 'Switchyard'],
  ['BillingAccountType', () => 'gateway'],
  ['BillingPeriodStart', ({ day, booked }) => time(monthStart(booked?.month ?? day))],
  ['BillingPeriodEnd', ({ day, booked }) => time(monthStart(booked?.month ?? day, 1))],
  ['ChargePeriodStart', ({ day, booked }) => time(booked?.from ?? day)],
  ['ChargePeriodEnd', ({ day, booked }) => time(booked?.to ?? day + DAY_MS)],
  ['ChargeCategory', (record) => (isUsage(record) ? 'Usage' : 'Adjustment')],
  ['ChargeClass', ({ booked }) => (booked?.isCorrection === true ? 'Correction' : null)],
  ['ChargeDescription', ({ charge }) => `${charge.provider}/${charge.model}, ${charge.class}`],
  ['ChargeFrequency', () => 'Usage-Based'],
  ['ConsumedQuantity', (record) => (isUsage(record) ? figure(record.charge.quantity, 0) : null)],
  ['ConsumedUnit', (record) => (isUsage(record) ? unitOf(record).consumed : null)],
  ['PricingQuantity', (record) => (isUsage(record) ? pricedQuantity(record) : null)],
  ['PricingUnit', (record) => (isUsage(record) ? unitOf(record).pricing : null)],
  ['ListUnitPrice', price],
  ['ContractedUnitPrice', price],
  ['PricingCategory', (record) => (isUsage(record) ? 'Standard' : null)],
  ['PricingCurrency', () => 'USD'],
  ['ProviderName', ({ charge }) => charge.provider],
  ['PublisherName', ({ charge }) => publisherOf(charge)],
  ['InvoiceIssuerName', ({ charge }) => charge.provider],
  ['InvoiceId', () => null],
  ['ServiceCategory', () => 'AI and Machine Learning'],
  ['ServiceSubcategory', () => 'Generative AI'],
  ['ServiceName', ({ charge }) => `${charge.provider} API`],
  ['SkuId', ({ charge }) => charge.model],
  ['SkuMeter', ({ charge }) => charge.class],
  [
    'SkuPriceId',
    ({ charge }) => (charge.priceVersion === null ? null : `${charge.model}|${charge.class}|${charge.priceVersion}`),
  ],
  ['SkuPriceDetails', ({ charge }) => json({ x_ContextTier: charge.tierAbove, x_PricePercent: charge.pricePercent })],
  ['SubAccountId', ({ workspace }) => workspace],
  ['SubAccountName', ({ workspace }) => workspace],
  ['SubAccountType', () => 'workspace'],
  ['ResourceId', ({ keyId }) => keyId],
  ['ResourceName', ({ keyName }) => keyName],
  ['ResourceType', () => 'API key'],
  ['RegionId', () => null],
  ['Tags', () => null],
  ['x_Estimated', ({ charge }) => String(charge.usageSource !== null && charge.usageSource !== 'provider')],
  ['x_UsageSource', ({ charge }) => charge.usageSource],
  ['x_Unconfirmed', ({ charge }) => charge.unconfirmed && figure(charge.unconfirmed.estimate)],
  ['x_CostMost', ({ charge }) => charge.unconfirmed && figure(charge.unconfirmed.most)],
  ['x_ResaleCost', ({ charge }) => (charge.resale === null ? null : figure(charge.resale))],
  ['x_Unpriced', ({ charge }) => String(charge.billed === null)],
  ['x_FocusVersion', () => '1.2'],
]

export const FOCUS_HEADER = line(FOCUS_COLUMNS.map(([name]) => name))

export function focusLine(record: FocusRecord): string {
  return line(FOCUS_COLUMNS.map(([, value]) => field(value(record))))
}

function line(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`
}

/** Null is an empty field, text is quoted, and a would-be formula begins with a single quote. */
function field(value: Value): string {
  if (value === null) return ''
  if (typeof value !== 'string') return value.figure
  return `"${(/^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`
}

/** `1234567` with 6 decimals: 1.234567. Without an exponent, and without zeros at its end. */
export function exactDecimal(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const [whole, part] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  const fraction = part.replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** A model of a hub is named after who made it; otherwise who sells it made it. */
function publisherOf({ provider, model }: Charge): string {
  const slash = model.indexOf('/')
  return slash > 0 ? model.slice(0, slash) : provider
}

function monthStart(day: number, later = 0): number {
  const date = new Date(day)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}
