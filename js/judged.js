// What a history was judged by, and what it could not be judged by, in words. That nothing was found
// says no more than this.

const count = (number, one, many = `${one}s`) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

function locks({ grants, tokens, ends, decisions }, judged, notJudged) {
  if (grants + decisions === 0) {
    notJudged.push('I1, R1, R4, R5: no lock is granted.');
    return;
  }
  if (tokens > 0) {
    judged.push(`I1: tokens rise, by ${count(tokens, 'grant')} after another of the same lock.`);
  } else {
    notJudged.push('I1, tokens rise: no lock is granted twice with a token.');
  }
  if (ends > 0) {
    judged.push(`I1: one live lease a lock, by ${count(ends, 'lease end')} that ‘until’ tells.`);
  } else {
    notJudged.push('I1, one live lease a lock: no grant tells until when it lasts (‘until’).');
  }
  if (decisions > 0) {
    const what = count(decisions, 'renewal, release or refusal', 'renewals, releases and refusals');
    judged.push(`R1, R4, R5: ${what}.`);
  } else {
    notJudged.push('R1, R4, R5: no renewal, release or refusal of a lease whose end is known.');
  }
}

function storage({ writes, fences, rejections, values, updates, fencing }, judged, notJudged) {
  if (writes + fences > 0) {
    const by = [writes > 0 && count(writes, 'write'), fences > 0 && count(fences, 'fence')];
    judged.push(`I2: accepted tokens never fall, by ${by.filter(Boolean).join(' and ')}.`);
  } else {
    notJudged.push('I2, accepted tokens never fall: no write is accepted.');
  }
  if (values > 0)
    judged.push(`I2: only what is accepted changes a key, by ${count(values, 'value')}.`);
  else {
    notJudged.push(
      'I2, only what is accepted changes a key: no read or ‘previous’ tells what was found.',
    );
  }
  if (rejections > 0) judged.push(`R10, R12: ${count(rejections, 'rejection')}.`);
  else notJudged.push('R10, R12: no rejection names the ‘highest’ token.');
  if (fencing === 'above' && writes > 0) {
    judged.push(`R11: one write a token, by ${count(writes, 'write')}.`);
  } else if (fencing === null) {
    notJudged.push('R11, one write a token: whether that is the storage’s rule is not known.');
  }
  if (updates > 0)
    judged.push(`I3: no lost update, by ${count(updates, 'write')} after a fenced read.`);
  else
    notJudged.push('I3, no lost update: no write after a fenced read tells its ‘previous’ value.');
}

function trust({ trusts, blindTrusts, looseTrusts }, judged, notJudged) {
  if (trusts > 0) {
    judged.push(`I4: no two clients trust at once, by ${count(trusts, 'trust event')}.`);
  } else if (blindTrusts === 0) {
    notJudged.push('I4, no two clients trust at once: no two are told to trust one lock.');
  }
  if (blindTrusts > 0) {
    const whose = count(blindTrusts, 'trust event');
    notJudged.push(`I4: ${whose} of clients that do not look at the clock (‘until’ is null).`);
  }
  if (looseTrusts > 0) {
    notJudged.push(
      `I4: ${count(looseTrusts, 'trust event')} without a lock, or a grant that tells it.`,
    );
  }
}

/**
 * @param {object} result of a check
 * @returns {{ judged: string[], notJudged: string[] }} a sentence each
 */
export function whatWasJudged({ judged: counts }) {
  const judged = [];
  const notJudged = [];
  locks(counts, judged, notJudged);
  storage(counts, judged, notJudged);
  trust(counts, judged, notJudged);
  if (counts.unknownOutcomes > 0) {
    const what = count(counts.unknownOutcomes, 'event');
    notJudged.push(`${what} with an outcome that tells nothing of what was done.`);
  }
  notJudged.push('R2, R14 to R17, I5, I6: a history does not tell what was promised.');
  return { judged, notJudged };
}
