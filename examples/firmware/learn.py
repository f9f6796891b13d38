# SPDX-License-Identifier: Apache-2.0
"""Writes what learn.cpp reads, which is committed; nothing else needs this script, or more than numpy:

    python3 learn.py

    start.npy      f32[2410]: weights of 64 x 32 and 32 x 10 and biases, drawn at random
    learned.npy    f32[2,2410]: the same after the last layer, and then the whole network, has learned from the first 320
                   images of ../digits/images.npy, in double precision, with gradients written by hand
"""

import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent
shapes = [(64, 32), (32,), (32, 10), (10,)]


def step(weights, pixels, labels, rate, learns):
    w0, b0, w1, b1 = weights
    inputs = pixels / 16
    before = inputs @ w0 + b0
    hidden = np.maximum(before, 0)
    scores = hidden @ w1 + b1
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    wanted = np.eye(10)[labels]
    loss = -(wanted * np.log(likely)).sum(axis=1).mean()
    by_scores = (likely - wanted) / len(labels)
    by_hidden = by_scores @ w1.T * (before > 0)
    gradient = [inputs.T @ by_hidden, by_hidden.sum(axis=0), hidden.T @ by_scores, by_scores.sum(axis=0)]
    return [w - rate * g if i in learns else w for i, (w, g) in enumerate(zip(weights, gradient))], loss


def flat(weights):
    return np.concatenate([w.ravel() for w in weights]).astype(np.float32)


def main():
    images = np.load(folder.parent / "digits" / "images.npy").reshape(-1, 64).astype(np.float64)
    labels = np.load(folder.parent / "digits" / "labels.npy")
    random = np.random.default_rng(0)
    start = [(random.standard_normal(s) * np.sqrt(2 / s[0]) if len(s) > 1 else np.zeros(s)).astype(np.float32) for s in shapes]
    np.save(folder / "start.npy", flat(start))
    weights, learned = [w.astype(np.float64) for w in start], []
    for epochs, rate, learns in [(2, 0.5, {2, 3}), (5, 0.25, {0, 1, 2, 3})]:
        for _ in range(epochs):
            for first in range(0, 320, 16):
                weights, loss = step(weights, images[first : first + 16], labels[first : first + 16], rate, learns)
        learned.append(flat(weights))
        w0, b0, w1, b1 = weights
        scores = np.maximum(images[320:] / 16 @ w0 + b0, 0) @ w1 + b1
        print("loss", loss, "right", (scores.argmax(axis=1) == labels[320:]).sum(), "of", len(labels) - 320)
    np.save(folder / "learned.npy", np.stack(learned))


main()
