const INFO_BYTES = 34

/** By the count of samples in its first block; null where the encoder did not know it. */
export function flacMilliseconds(data: Buffer): number | null {
  const at = 8
  if (data.length < at + INFO_BYTES || ((data[4] ?? 0) & 0x7f) !== 0) return null
  const rate = data.readUIntBE(at + 10, 3) >>> 4
  const samples = ((data[at + 13] ?? 0) & 0x0f) * 2 ** 32 + data.readUInt32BE(at + 14)
  return rate === 0 || samples === 0 ? null : (samples * 1000) / rate
}
