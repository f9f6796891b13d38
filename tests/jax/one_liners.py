#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""one_liners.py TENON_RUN [--page PAGE.md] [--keep FOLDER] [--only WORD]

Exports programs of one line as a JAX user writes them, runs them with tenon-run, and compares with JAX. --page writes what
docs/jax.md is. Needs the packages jax, jaxlib, ml_dtypes and numpy. Exit code 1 where fewer than 99 % pass.
"""

import argparse
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.experimental.sparse
import jax.numpy as jnp
import jax.scipy as jsp
import jax.scipy.optimize
import ml_dtypes
import numpy as np
from jax import lax, nn
from jax import random as jr
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

random = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


square = normal(4, 4)
# What the programs name. A name that a program uses is an argument of it.
INPUTS = dict(
    x=normal(3, 4), y=normal(3, 4), z=normal(4, 5), t=normal(2, 3, 4), v=normal(12), w=normal(4),
    unit=random.uniform(-0.95, 0.95, (3, 4)).astype(np.float32), positive=random.uniform(0.1, 4, (3, 4)).astype(np.float32),
    i=random.integers(-9, 9, (3, 4)).astype(np.int32), j=random.integers(1, 9, (3, 4)).astype(np.int32),
    k=random.integers(0, 4, 6).astype(np.int32), u=random.integers(0, 2**32, 6, dtype=np.uint32),
    n8=random.integers(-128, 127, (3, 4)).astype(np.int8), u8=random.integers(0, 255, (3, 4)).astype(np.uint8),
    b=random.integers(0, 2, (3, 4)).astype(bool), c=normal(3, 4).astype(np.complex64) + np.complex64(1j) * normal(3, 4),
    h=normal(3, 4, dtype=ml_dtypes.bfloat16), h16=normal(3, 4, dtype=np.float16), e4=normal(3, 4, dtype=ml_dtypes.float8_e4m3fn),
    e5=normal(4, 5, dtype=ml_dtypes.float8_e5m2), s=np.float32(0.7), index=np.int32(2), none=np.zeros((3, 0), np.float32),
    m=square, spd=square @ square.T + 4 * np.eye(4, dtype=np.float32), batch=normal(3, 4, 4), tall=normal(6, 3), wide=normal(3, 6),
    image=normal(1, 8, 8, 3), filters=normal(3, 3, 3, 4),
    cm=normal(4, 4).astype(np.complex64) + np.complex64(1j) * normal(4, 4), seed=np.uint32(7))  # fmt: skip


def mesh(*sizes, names="ab"):
    count = int(np.prod(sizes))
    return jax.sharding.Mesh(np.array(jax.devices()[:count]).reshape(sizes), tuple(names[: len(sizes)]))


def sharded(value, *axes, on=(1, 1)):
    return lax.with_sharding_constraint(value, NamedSharding(mesh(*on), P(*axes)))


def per_shard(f, *specs, out, on=(1, 1)):
    return jax.shard_map(f, mesh=mesh(*on), in_specs=specs, out_specs=out)


def upto(sign, triangle):
    """The same for every choice of signs or phases of columns."""
    return jnp.abs(sign), jnp.abs(triangle)


PROGRAMS = {
    "jnp: one element at a time": """
        jnp.sin(x)
        jnp.cos(x)
        jnp.tan(x)
        jnp.arcsin(unit)
        jnp.arccos(unit)
        jnp.arctan(x)
        jnp.arctan2(x, y)
        jnp.sinh(x)
        jnp.cosh(x)
        jnp.tanh(x)
        jnp.arcsinh(x)
        jnp.arccosh(positive + 1)
        jnp.arctanh(unit)
        jnp.exp(x)
        jnp.exp2(x)
        jnp.expm1(x)
        jnp.log(positive)
        jnp.log2(positive)
        jnp.log10(positive)
        jnp.log1p(positive)
        jnp.sqrt(positive)
        jnp.cbrt(x)
        jnp.square(x)
        jnp.reciprocal(x)
        jnp.power(positive, x)
        x ** 3
        i ** 2
        jnp.abs(x)
        jnp.abs(c)
        jnp.sign(x)
        jnp.floor(x)
        jnp.ceil(x)
        jnp.round(x, 1)
        jnp.trunc(x)
        jnp.rint(x)
        jnp.mod(x, y)
        jnp.fmod(x, y)
        jnp.remainder(i, j)
        jnp.floor_divide(i, j)
        jnp.divmod(i, j)
        x // y
        i % j
        jnp.true_divide(i, j)
        jnp.maximum(x, y)
        jnp.fmin(x, y)
        jnp.clip(x, -0.5, 0.5)
        jnp.hypot(x, y)
        jnp.logaddexp(x, y)
        jnp.logaddexp2(x, y)
        jnp.copysign(x, y)
        jnp.nextafter(x, y)
        jnp.ldexp(x, i)
        jnp.frexp(x)
        jnp.modf(x)
        jnp.signbit(x)
        jnp.heaviside(x, 0.5)
        jnp.sinc(x)
        jnp.i0(x)
        jnp.deg2rad(x)
        jnp.gcd(i, j)
        jnp.lcm(i, j)
        jnp.bitwise_and(i, j)
        jnp.bitwise_not(i)
        jnp.left_shift(j, 2)
        jnp.right_shift(i, 1)
        jnp.logical_xor(b, x > 0)
        jnp.isnan(x / 0)
        jnp.isclose(x, y, atol=0.5)
        jnp.nan_to_num(x / (x - x))
        jnp.where(b, x, y)
        jnp.real(c) + jnp.imag(c)
        jnp.angle(c)
        jnp.conj(c) * c
        jnp.exp(c)
        jnp.sqrt(c)
        jnp.log(c)
        c / (c + 1)
        n8 * n8
        u8 // 3
        h * h + 1
        jnp.tanh(h16)
        e4.astype(jnp.float32)
        x.astype(jnp.float8_e5m2).astype(jnp.float32)
        x.astype(jnp.int4).astype(jnp.int32)
        i.astype(jnp.bfloat16)
        x.view(jnp.int32)
        jnp.bitwise_count(u)
        jnp.polyval(w, x)
        jnp.interp(x, jnp.linspace(-2, 2, 5), jnp.arange(5.0))
        jnp.spacing(x)
        jnp.float_power(positive, 2)
        jnp.unwrap(v)
        jnp.piecewise(x, [x < 0, x >= 0], [lambda a: -a, lambda a: a * a])
        """,
    "jnp: folds": """
        jnp.sum(x)
        jnp.sum(x, axis=0)
        jnp.mean(x, axis=1, keepdims=True)
        jnp.prod(x)
        jnp.max(x, axis=1)
        jnp.min(i)
        jnp.argmax(x, axis=1)
        jnp.argmin(x)
        jnp.any(b, axis=0)
        jnp.all(b)
        jnp.var(x)
        jnp.std(x, axis=0, ddof=1)
        jnp.median(x)
        jnp.quantile(v, 0.3)
        jnp.percentile(x, 40, axis=1)
        jnp.nanmean(x)
        jnp.nanmax(x, axis=0)
        jnp.ptp(x)
        jnp.cumsum(x, axis=1)
        jnp.cumprod(x)
        lax.cummax(x, axis=1)
        lax.cumlogsumexp(x, axis=1)
        jnp.cumsum(none, axis=1)
        jnp.sum(none)
        jnp.count_nonzero(b)
        jnp.average(x, weights=positive)
        jnp.cov(x)
        jnp.corrcoef(x)
        jnp.bincount(k, length=5)
        jnp.histogram(v, bins=5)
        jnp.trapezoid(x)
        jnp.linalg.norm(x)
        jnp.diff(x, axis=1)
        jnp.ediff1d(v)
        jnp.gradient(v)
        jnp.digitize(v, jnp.array([-1.0, 0.0, 1.0]))
        jnp.nanargmax(x)
        jnp.array_equal(x, y)
        jnp.allclose(x, x)
        """,
    "jnp: shapes and places": """
        x.reshape(4, 3)
        x.T
        jnp.transpose(t, (2, 0, 1))
        jnp.swapaxes(t, 0, 2)
        jnp.moveaxis(t, 0, -1)
        jnp.expand_dims(x, 1)
        jnp.squeeze(x[:, :1])
        jnp.concatenate([x, y], axis=1)
        jnp.stack([x, y], axis=-1)
        jnp.vstack([x, y])
        jnp.hstack([x, y])
        jnp.split(x, 2, axis=1)
        jnp.array_split(v, 5)
        jnp.tile(x, (2, 3))
        jnp.repeat(x, 2, axis=0)
        jnp.pad(x, 1)
        jnp.pad(x, ((1, 0), (0, 2)), mode="edge")
        jnp.pad(x, 2, mode="reflect")
        jnp.pad(x, 1, mode="wrap")
        jnp.roll(x, 1, axis=1)
        jnp.flip(x)
        jnp.rot90(x)
        jnp.broadcast_to(w, (3, 4))
        jnp.atleast_3d(x)
        jnp.tril(m)
        jnp.triu(m, 1)
        jnp.diag(w)
        jnp.diagonal(m)
        jnp.trace(m)
        jnp.eye(4) + m
        jnp.arange(10) * 2
        jnp.linspace(0, 1, 7)
        jnp.logspace(0, 2, 5)
        jnp.meshgrid(w, v)
        jnp.indices((2, 3))
        jnp.full((2, 2), s)
        jnp.zeros_like(x)
        x[1]
        x[:, 1:3]
        x[::-1, ::2]
        x[..., None]
        x[index, 1]
        x[i[0] % 3]
        x[k[:3] % 3, k[3:]]
        x[b[:, 0].nonzero(size=2)[0]]
        x.at[1].set(0)
        x.at[:, 1].add(5)
        x.at[k[:3] % 3, k[:3]].multiply(2)
        x.at[1, 2].max(9)
        x.at[7].set(1, mode="drop")
        x.at[7].get(mode="fill", fill_value=-1)
        jnp.take(x, k, axis=1)
        jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1)
        jnp.put_along_axis(x, jnp.argmax(x, axis=1, keepdims=True), 99, axis=1, inplace=False)
        jnp.choose(k % 3, [k, k + 10, k + 20], mode="clip")
        jnp.select([x > 1, x < 0], [x, -x], 0)
        jnp.nonzero(b, size=4)
        jnp.argwhere(b, size=4)
        jnp.unique(k, size=6, fill_value=0)
        jnp.searchsorted(jnp.sort(v), w)
        jnp.sort(x, axis=1)
        jnp.argsort(v, descending=True)
        jnp.lexsort((k, u))
        jnp.sort(c, axis=1)
        jnp.partition(v, 3)
        jnp.compress(b[:, 0], x, axis=0, size=2)
        jnp.tri(3)
        jnp.vander(w)
        jnp.fill_diagonal(m, 1, inplace=False)
        jnp.delete(v, 3)
        jnp.insert(v, 2, 9)
        jnp.append(v, w)
        jnp.packbits(b)
        jnp.unpackbits(u8)
        jnp.apply_along_axis(jnp.sum, 1, x)
        jnp.isin(k, jnp.array([1, 3]))
        jnp.union1d(k, k + 1, size=6)
        jnp.ix_(k, k)[0] + jnp.ix_(k, k)[1]
        jnp.block([[x, y], [y, x]])
        """,
    "jnp: products": """
        x @ z
        jnp.dot(v, v)
        jnp.vdot(c, c)
        jnp.inner(x, y)
        jnp.outer(w, v)
        jnp.matmul(batch, m)
        jnp.tensordot(t, t, axes=([1, 2], [1, 2]))
        jnp.einsum("ij,jk->ik", x, z)
        jnp.einsum("bij,bkj->bik", batch, batch)
        jnp.einsum("ij->j", x)
        jnp.einsum("ii->i", m)
        jnp.kron(x, y)
        jnp.cross(tall, tall + 1)
        jnp.convolve(v, w)
        jnp.correlate(v, w, mode="same")
        jnp.linalg.multi_dot([x, z, z.T])
        n8 @ n8.T
        i @ j.T
        h @ h.T
        c @ c.T
        jnp.matmul(x, i.T)
        lax.dot_general(n8, n8, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
        lax.dot(e4, e5, preferred_element_type=jnp.float32)
        lax.dot_general(x, i, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        lax.dot(h, z.astype(jnp.bfloat16), preferred_element_type=jnp.float32)
        jnp.vecdot(x, y)
        jnp.matvec(batch, w)
        """,
    "jax.lax": """
        lax.add(x, y)
        lax.rsqrt(positive)
        lax.erf_inv(unit)
        lax.igamma(positive, positive + 0.5)
        lax.lgamma(positive)
        lax.digamma(positive)
        lax.bessel_i1e(x)
        lax.population_count(u)
        lax.clz(u)
        lax.shift_right_logical(i, 3)
        lax.reduce_precision(x, 5, 3)
        lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)
        lax.integer_pow(x, -3)
        lax.conv_general_dilated(image, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        lax.conv_general_dilated(image, filters, (2, 2), "VALID", rhs_dilation=(2, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))
        lax.conv_transpose(image, filters, (2, 2), "SAME")
        lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME")
        lax.reduce_window(x, 1.0, lax.add, (2, 2), (1, 1), ((1, 1), (1, 1)))
        lax.reduce(x, 0.0, lax.add, (1,))
        lax.reduce((x, y), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,))
        lax.dynamic_slice(x, (index, index), (1, 2))
        lax.dynamic_update_slice(x, jnp.zeros((1, 2)), (index, index))
        lax.dynamic_index_in_dim(x, index, 0)
        lax.slice_in_dim(x, 1, 4, 2, axis=1)
        lax.pad(x, 0.5, ((1, 0, 1), (-1, 2, 0)))
        lax.rev(x, (0,))
        lax.sort((v, v * 2), num_keys=1)
        lax.top_k(v, 3)
        lax.approx_max_k(v, 3)
        lax.approx_min_k(v, 3)
        lax.argmax(x, 1, jnp.int32)
        lax.select_n(k[:3] % 3, w[:3], v[:3], v[3:6])
        lax.clamp(-0.5, x, 0.5)
        lax.broadcasted_iota(jnp.int32, (3, 4), 1)
        lax.fori_loop(0, 5, lambda n, a: a * 0.5 + n, x)
        lax.fori_loop(0, index, lambda n, a: a + n, x)
        lax.while_loop(lambda a: a.sum() < 50, lambda a: a + 1, x)
        lax.scan(lambda a, e: (a + e, a * e), s, v)
        lax.scan(lambda a, e: (a * e, None), s, v, reverse=True, unroll=2)
        lax.map(lambda a: jnp.sum(a) * a, x)
        lax.cond(s > 0, lambda a: a + 1, lambda a: a - 1, x)
        lax.switch(index, [jnp.sin, jnp.cos, jnp.tanh], x)
        lax.associative_scan(jnp.add, v)
        lax.bitcast_convert_type(x, jnp.uint8)
        lax.bitcast_convert_type(x, jnp.uint16)
        lax.complex(x, y)
        lax.nextafter(x, y)
        lax.stop_gradient(x) * x
        lax.optimization_barrier(x)
        lax.collapse(t, 0, 2)
        lax.expand_dims(x, (0, 3))
        lax.erfc(x)
        lax.polygamma(1.0, positive)
        lax.zeta(positive + 1.5, positive)
        lax.random_gamma_grad(positive, positive)
        lax.betainc(positive, positive, 0.3 * jnp.ones_like(positive))
        lax.custom_root(lambda a: a * a - s, s, lambda f, g: lax.fori_loop(0, 20, lambda _, a: a - f(a) / (2 * a), g), lambda g, y: y / g(1.0))
        lax.gather(x, k[:, None] % 3, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4))
        lax.scatter_add(w, k[:, None], v[:6], lax.ScatterDimensionNumbers((), (0,), (0,)))
        lax.ragged_dot(x, jnp.stack([z, z + 1]), jnp.array([1, 2], jnp.int32))
        lax.composite(lambda a: a * 2, "my.twice")(x)
        lax.full_like(x, 3)
        lax.reduce_and(b, (0,))
        lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos)
        """,
    "jnp.linalg": """
        jnp.linalg.cholesky(spd)
        jnp.linalg.cholesky(jnp.stack([spd, spd + 1]))
        jnp.linalg.cholesky(cm @ cm.conj().T + 9 * jnp.eye(4))
        jnp.linalg.solve(m, z)
        jnp.linalg.solve(batch, batch)
        jnp.linalg.solve(cm, cm + 1)
        jnp.linalg.inv(m)
        jnp.linalg.inv(batch)
        jnp.linalg.det(m)
        jnp.linalg.det(batch)
        jnp.linalg.slogdet(m)
        upto(*jnp.linalg.qr(tall))
        upto(*jnp.linalg.qr(wide))
        upto(*jnp.linalg.qr(batch, mode="complete"))
        jnp.abs(jnp.linalg.qr(tall, mode="r"))
        upto(*jnp.linalg.qr(cm))
        jnp.linalg.eigh(spd)[0]
        jnp.abs(jnp.linalg.eigh(spd)[1])
        jnp.linalg.eigvalsh(cm + cm.conj().T)
        jnp.sort(jnp.abs(jnp.linalg.eigvals(m)))
        jnp.sort(jnp.abs(jnp.linalg.eigvals(cm)))
        jnp.abs(m @ jnp.linalg.eig(m)[1] - jnp.linalg.eig(m)[1] * jnp.linalg.eig(m)[0])
        jnp.linalg.svd(tall, compute_uv=False)
        jnp.linalg.svd(batch, compute_uv=False)
        upto(jnp.linalg.svd(wide, full_matrices=False)[0], jnp.linalg.svd(wide, full_matrices=False)[2])
        jnp.abs(jnp.linalg.svd(tall)[0][:, :3])
        jnp.linalg.svdvals(m)
        jnp.linalg.lstsq(tall, tall[:, 0])[0]
        jnp.linalg.pinv(tall)
        jnp.linalg.matrix_power(m, 3)
        jnp.linalg.matrix_power(m, -1)
        jnp.linalg.matrix_rank(tall)
        jnp.linalg.cond(m)
        jnp.linalg.norm(m, 2)
        jnp.linalg.norm(m, "nuc")
        jnp.linalg.tensorinv(jnp.eye(6).reshape(2, 3, 3, 2) * 2, ind=2)
        jnp.linalg.tensorsolve(jnp.eye(6).reshape(2, 3, 2, 3), jnp.ones((2, 3)))
        jax.grad(lambda a: jnp.linalg.slogdet(a)[1])(spd)
        jax.grad(lambda a: jnp.linalg.inv(a).sum())(m)
        """,
    "jnp.fft": """
        jnp.fft.fft(x)
        jnp.fft.ifft(c)
        jnp.fft.rfft(v)
        jnp.fft.irfft(c)
        jnp.fft.irfft(c, n=5)
        jnp.fft.fft2(x)
        jnp.fft.ifft2(c)
        jnp.fft.fftn(t)
        jnp.fft.rfftn(t)
        jnp.fft.irfftn(c, s=(3, 6))
        jnp.fft.hfft(c)
        jnp.fft.ihfft(v)
        jnp.fft.fft(v, n=16)
        jnp.fft.fft(x, axis=0, norm="ortho")
        jnp.fft.fftshift(x)
        jnp.fft.fftfreq(8)
        jnp.abs(jnp.fft.rfft2(x))
        """,
    "jax.random": """
        jr.key_data(jr.key(seed))
        jr.key_data(jr.split(jr.key(seed), 3))
        jr.key_data(jr.fold_in(jr.key(0), index))
        jr.bits(jr.key(seed), (5,))
        jr.uniform(jr.key(seed), (3, 4))
        jr.uniform(jr.PRNGKey(seed), (3, 4), minval=-1)
        jr.normal(jr.key(seed), (3, 4))
        jr.normal(jr.key(1), (3,), jnp.bfloat16)
        jr.normal(jr.key(1), (3,), jnp.complex64)
        jr.randint(jr.key(seed), (6,), 0, 10)
        jr.bernoulli(jr.key(seed), 0.3, (8,))
        jr.permutation(jr.key(seed), 8)
        jr.permutation(jr.key(seed), x)
        jr.choice(jr.key(seed), v, (4,), replace=False)
        jr.choice(jr.key(seed), v, (4,), p=jnp.abs(v) / jnp.abs(v).sum())
        jr.categorical(jr.key(seed), x)
        jr.exponential(jr.key(seed), (5,))
        jr.laplace(jr.key(seed), (5,))
        jr.logistic(jr.key(seed), (5,))
        jr.gumbel(jr.key(seed), (5,))
        jr.cauchy(jr.key(seed), (5,))
        jr.gamma(jr.key(seed), 2.5, (4,))
        jr.beta(jr.key(seed), 2.0, 3.0, (4,))
        jr.dirichlet(jr.key(seed), jnp.ones(3))
        jr.poisson(jr.key(seed), 4.0, (5,))
        jr.binomial(jr.key(seed), 10, 0.4, (5,))
        jr.geometric(jr.key(seed), 0.4, (5,))
        jr.truncated_normal(jr.key(seed), -1, 1, (5,))
        jr.t(jr.key(seed), 3.0, (4,))
        jr.chisquare(jr.key(seed), 3.0, (4,))
        jr.rademacher(jr.key(seed), (6,))
        jr.multivariate_normal(jr.key(seed), w, spd)
        jr.orthogonal(jr.key(seed), 3)
        jr.ball(jr.key(seed), 3)
        jr.weibull_min(jr.key(seed), 1.0, 2.0, (4,))
        jr.pareto(jr.key(seed), 2.0, (4,))
        jr.rayleigh(jr.key(seed), 1.0, (4,))
        jr.uniform(jr.key(seed, impl="rbg"), (4,))
        jr.uniform(jr.key(3, impl="unsafe_rbg"), (4,))
        jax.vmap(lambda a: jr.normal(a, (2,)))(jr.split(jr.key(seed), 3))
        lax.scan(lambda a, _: (jr.split(a)[0], jr.uniform(a)), jr.key(seed), None, length=3)[1]
        """,
    "jax.nn": """
        nn.relu(x)
        nn.relu6(x)
        nn.sigmoid(x)
        nn.softplus(x)
        nn.soft_sign(x)
        nn.silu(x)
        nn.mish(x)
        nn.log_sigmoid(x)
        nn.leaky_relu(x)
        nn.hard_sigmoid(x)
        nn.hard_swish(x)
        nn.hard_tanh(x)
        nn.elu(x)
        nn.celu(x)
        nn.selu(x)
        nn.gelu(x)
        nn.gelu(x, approximate=False)
        nn.glu(x)
        nn.squareplus(x)
        nn.sparse_plus(x)
        nn.softmax(x)
        nn.log_softmax(x, axis=0)
        nn.logsumexp(x, axis=1)
        nn.standardize(x)
        nn.one_hot(k, 4)
        nn.dot_product_attention(t[:, :, None], t[:, :, None], t[:, :, None])
        nn.logmeanexp(x)
        jax.grad(lambda a: nn.gelu(a).sum())(x)
        jax.grad(lambda a: -nn.log_softmax(a)[0, 1])(x)
        nn.initializers.glorot_normal()(jr.key(seed), (3, 4))
        nn.initializers.orthogonal()(jr.key(seed), (4, 4))
        """,
    "jax.scipy": """
        jsp.special.erf(x)
        jsp.special.erfc(x)
        jsp.special.erfinv(unit)
        jsp.special.gammaln(positive)
        jsp.special.gamma(positive)
        jsp.special.digamma(positive)
        jsp.special.polygamma(2, positive)
        jsp.special.zeta(positive + 1.5, positive)
        jsp.special.betaln(positive, positive + 1)
        jsp.special.betainc(positive, positive, 0.4)
        jsp.special.gammainc(positive, positive + 1)
        jsp.special.gammaincc(positive, positive + 1)
        jsp.special.i0e(x)
        jsp.special.i1(x)
        jsp.special.logit(positive / 5)
        jsp.special.expit(x)
        jsp.special.xlogy(positive, positive)
        jsp.special.entr(positive)
        jsp.special.kl_div(positive, positive + 1)
        jsp.special.ndtr(x)
        jsp.special.ndtri(positive / 5)
        jsp.special.log_ndtr(x)
        jsp.special.logsumexp(x)
        jsp.special.expi(positive)
        jsp.special.expn(2, positive)
        jsp.special.exp1(positive)
        jsp.special.bernoulli(6)
        jsp.special.factorial(j % 5)
        jsp.special.spence(positive)
        jsp.special.sph_harm_y(jnp.array([2]), jnp.array([1]), jnp.array([0.4]), jnp.array([0.3]), n_max=3)
        jsp.special.hyp1f1(1.5, 2.5, unit)
        jsp.linalg.cholesky(spd, lower=True)
        jsp.linalg.cho_solve(jsp.linalg.cho_factor(spd), z)
        jsp.linalg.lu(m)[2]
        jsp.linalg.lu_solve(jsp.linalg.lu_factor(m), z)
        jsp.linalg.solve(spd, z, assume_a="pos")
        jsp.linalg.solve_triangular(m, z, lower=True)
        jsp.linalg.solve_triangular(m, z, trans=1, unit_diagonal=True)
        jsp.linalg.expm(m)
        jsp.linalg.expm_frechet(m, spd)[1]
        jsp.linalg.funm(spd, jnp.exp)
        jsp.linalg.sqrtm(spd)
        jsp.linalg.rsf2csf(*jsp.linalg.schur(spd))[0] * 0
        jnp.abs(jnp.linalg.matrix_transpose(jsp.linalg.schur(m)[1]) @ jsp.linalg.schur(m)[1])
        (lambda f: f[1] @ f[0] @ f[1].T)(jsp.linalg.schur(m))
        (lambda f: f[1] @ f[0] @ f[1].conj().T)(jsp.linalg.schur(cm))
        (lambda f: f[1] @ f[0] @ f[1].T)(jsp.linalg.hessenberg(m, calc_q=True)[::-1])
        jsp.linalg.eigh(spd, eigvals_only=True)
        jsp.linalg.eigh_tridiagonal(w, w[1:], eigvals_only=True)
        jsp.linalg.svd(tall, compute_uv=False)
        jsp.linalg.polar(m)[1]
        jsp.linalg.toeplitz(w)
        jsp.linalg.hilbert(3)
        jsp.linalg.block_diag(m, x)
        lax.linalg.tridiagonal_solve(w, w + 5, w, jnp.ones((4, 2)))
        lax.linalg.tridiagonal(spd)[1]
        (lambda q, r, p: jnp.abs(r))(*jsp.linalg.qr(tall, pivoting=True, mode="economic"))
        lax.linalg.lu(tall)[0]
        jsp.stats.norm.logpdf(x)
        jsp.stats.norm.ppf(positive / 5)
        jsp.stats.gamma.logpdf(positive, 2.0)
        jsp.stats.beta.cdf(positive / 5, 2.0, 3.0)
        jsp.stats.t.logpdf(x, 3.0)
        jsp.stats.poisson.cdf(j, 3.0)
        jsp.stats.multivariate_normal.logpdf(w, jnp.zeros(4), spd)
        jsp.stats.gaussian_kde(v)(w)
        jsp.stats.rankdata(v)
        jsp.stats.mode(k)[0]
        jsp.signal.convolve(x, y)
        jsp.signal.fftconvolve(v, w)
        jsp.signal.detrend(v)
        jsp.signal.stft(v, nperseg=4)[2]
        jsp.fft.dct(v)
        jsp.fft.idctn(x)
        jsp.ndimage.map_coordinates(x, [v[:4] + 1, w + 1], order=1)
        jsp.interpolate.RegularGridInterpolator((jnp.arange(3.0), jnp.arange(4.0)), x)(jnp.abs(tall[:, :2]))
        jsp.integrate.trapezoid(v)
        jsp.cluster.vq.vq(tall, tall[:2])
        jsp.sparse.linalg.cg(lambda a: spd @ a, w)[0]
        jsp.optimize.minimize(lambda a: ((a - 1) ** 2).sum(), w, method="BFGS").x
        """,
    "transforms and images": """
        jax.grad(lambda a: jnp.sum(jnp.tanh(a) ** 2))(x)
        jax.value_and_grad(lambda a: jnp.prod(a))(v)
        jax.jacfwd(lambda a: a @ z)(x)
        jax.hessian(lambda a: jnp.sum(a ** 3))(w)
        jax.vmap(jnp.outer)(x, y)
        jax.vmap(lambda a, n: a[n])(x, k[:3])
        jax.jvp(jnp.sin, (x,), (y,))
        jax.vjp(lambda a: jnp.sort(a), v)[1](v)[0]
        jax.grad(lambda a: lax.scan(lambda q, e: (q * jnp.cos(e), q), s, a)[0])(v)
        jax.checkpoint(lambda a: jnp.sin(jnp.sin(a)))(x)
        jax.grad(jax.checkpoint(lambda a: jnp.sin(a).sum()))(x)
        jax.linearize(jnp.sin, x)[1](y)
        jax.image.resize(image, (1, 5, 5, 3), "linear")
        jax.image.resize(image, (1, 16, 16, 3), "cubic")
        jax.image.scale_and_translate(x, (6, 8), (0, 1), jnp.array([2.0, 2.0]), jnp.array([0.0, 0.0]), "linear")
        jax.ops.segment_sum(v[:6], k, 4)
        jax.ops.segment_max(v[:6], k, 4)
        jax.named_call(jnp.sin, name="named")(x)
        jax.lax.custom_linear_solve(lambda a: m @ a, w, lambda f, a: jnp.linalg.solve(m, a))
        jax.experimental.sparse.BCOO.fromdense(x, nse=12) @ z
        """,
    "programs of several ops": """
        jax.vmap(jax.grad(lambda a, q: jnp.sum(jnp.sin(a) * q)))(x, y)
        jax.jacrev(jax.jacfwd(lambda a: jnp.sum(jnp.exp(-a * a) * y)))(x)
        jax.vmap(lambda a, q: lax.scan(lambda c, e: (c * 0.9 + e, c), q[0], a))(x, y)
        jax.vmap(lambda a: lax.while_loop(lambda c: jnp.sum(c) < 20, lambda c: c * 1.5 + 1, a))(x)
        jax.vmap(lambda a, q: lax.cond(a[0] > 0, lambda e: e * 2, lambda e: e - q, a))(x, y)
        jax.vmap(lambda n, a: lax.fori_loop(0, n, lambda q, c: c + q, a))(jnp.arange(3), x)
        jax.vmap(lambda n, a: lax.switch(n, [jnp.sin, jnp.cos, lambda q: q * q], a))(jnp.arange(3), x)
        jax.grad(lambda a: lax.scan(lambda c, e: lax.cond(e.sum() > 0, lambda: (c * e[0], c), lambda: (c + e[1], e)), a[0], a)[1].sum())(x)
        jax.grad(lambda a: jax.checkpoint(lambda q: lax.scan(lambda c, e: (jnp.tanh(c + e), c), q[0], q)[1])(a).sum())(x)
        lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, lax.fori_loop(0, c[0], lambda n, q: q + n, c[1])), (0, x))
        jax.jvp(lambda a: lax.while_loop(lambda c: c.sum() < 30, lambda c: c * 2 + a, a + 3), (x,), (y,))
        lax.map(lambda a: jnp.sort(a), x, batch_size=2)
        lax.associative_scan(lambda a, q: (a[0] * q[0], a[1] * q[0] + q[1]), (x, y))
        lax.associative_scan(lambda a, q: a @ q, batch)
        jax.vmap(lambda a, n: lax.dynamic_slice(a, (n,), (2,)))(x, jnp.array([-1, 1, 9]))
        jax.vmap(lambda a, q, n: lax.dynamic_update_slice(a, q[:2], (n,)))(x, y, jnp.array([-1, 1, 9]))
        jax.grad(lambda a: jnp.sum(lax.cumprod(a, 1) * y))(x)
        jax.grad(lambda a: jnp.sum(lax.cumlogsumexp(a, 1, reverse=True) * y))(x)
        jax.grad(lambda a: jnp.sum(jnp.sort(a, axis=0) * y) + jnp.median(a))(x)
        lax.sort((k, u, k * 2), num_keys=2)
        jnp.unique(k, size=5, return_index=True, return_inverse=True, return_counts=True)
        jnp.histogramdd(tall, bins=2)[0]
        v.at[k * 5].add(1.0, mode="drop")
        v.at[k * 5].set(k.astype(jnp.float32), mode="clip")
        v.astype(jnp.bfloat16).at[k].multiply(1.5)
        jnp.take(v, k * 9 - 20, mode="fill", fill_value=3.5)
        lax.gather(x, jnp.array([[0, 1], [2, 9], [-4, 3]]), lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 2), mode="fill")
        lax.scatter_apply(x, jnp.array([[0, 1], [2, 9]]), jnp.cos, lax.ScatterDimensionNumbers((), (0, 1), (0, 1)), update_shape=(2,), mode="drop")
        lax.conv_general_dilated(image, filters, (1, 1), ((2, 2), (2, 2)), lhs_dilation=(2, 3), dimension_numbers=("NHWC", "HWIO", "NHWC"))
        lax.conv_general_dilated(image, filters[:, :, :1, :3], (1, 1), "SAME", feature_group_count=3, dimension_numbers=("NHWC", "HWIO", "NHWC"))
        lax.conv_general_dilated(jnp.concatenate([image, image + 1]), filters, (1, 1), "SAME", batch_group_count=2, dimension_numbers=("NHWC", "HWIO", "NHWC"))
        jax.grad(lambda q: jnp.sum(lax.conv_general_dilated(image, q, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2))(filters)
        lax.conv_general_dilated_patches(image, (3, 3), (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        lax.reduce_window((x, y), (0.0, -jnp.inf), lambda a, q: (a[0] + q[0], jnp.maximum(a[1], q[1])), (2, 2), (1, 1), "SAME")
        jax.grad(lambda q: (lax.reduce_window(q, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum())(image)
        jax.jvp(lambda q: lax.reduce_window(q, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"), (x,), (y,))
        jax.grad(lambda a: (jax.image.resize(a, (1, 5, 4, 3), "lanczos3") ** 2).sum())(image)
        lax.ragged_dot_general(x, y, jnp.array([1, 2]), lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], []))
        jax.grad(lambda q: (lax.ragged_dot(x, q, jnp.array([1, 2, 0])) ** 2).sum())(batch)
        lax.dot(x, y.T, precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3)
        lax.top_k(none, 0)
        lax.scan(lambda c, e: (c + e.sum(), e), s, none.T)
        (lambda n: (n << 3 ^ n >> 1, lax.shift_right_logical(n, n), lax.population_count(n)))(n8)
        (x.astype(jnp.int4) * y.astype(jnp.int4)).astype(jnp.int32)
        (e4 * e4 + e4).astype(jnp.float32) > x
        lax.fori_loop(0, 3, lambda n, a: a * c + n, c)
        lax.while_loop(lambda a: jr.uniform(a[0]) < 0.9, lambda a: (jr.split(a[0])[0], a[1] + 1), (jr.key(seed), 0))[1]
        jax.vmap(lambda q, a: jnp.where(jr.bernoulli(q, 0.7, a.shape), a / 0.7, 0))(jr.split(jr.key(seed), 3), x)
        (jax.debug.print("{}", x), x + 1)[1]
        lax.fori_loop(0, 3, lambda n, a: (jax.debug.print("{}", n), a + n)[1], x)
        """,
    "shardings": """
        sharded(x, "a")
        sharded(x * 2, None, "b") + 1
        sharded(x @ z, "a", "b")
        sharded(x, "a", on=(1,))
        lax.with_sharding_constraint(x, NamedSharding(mesh(1, 1), P(("a", "b"))))
        jax.device_put(x, NamedSharding(mesh(1), P("a"))) * 2
        jax.jit(lambda q: q + 1, out_shardings=NamedSharding(mesh(1), P("a")))(x)
        per_shard(lambda q: q * 2, P("a"), out=P("a"))(x)
        per_shard(lambda q: lax.psum(q, "a"), P("a"), out=P())(x)
        per_shard(lambda q, r: q @ r, P("a", None), P(None, "b"), out=P("a", "b"))(x, z)
        per_shard(lambda q: lax.all_gather(q, "a", tiled=True), P("a"), out=P("a"))(x)
        per_shard(lambda q: lax.pmean(q, ("a", "b")), P("a", "b"), out=P())(x)
        per_shard(lambda q: lax.ppermute(q, "a", [(0, 0)]), P("a"), out=P("a"))(x)
        per_shard(lambda q: q + lax.axis_index("a"), P("a"), out=P("a"))(x)
        per_shard(lambda q: lax.psum_scatter(q, "a", tiled=True), P("a"), out=P("a"))(x)
        per_shard(lambda q: lax.all_to_all(q, "a", 0, 1, tiled=True), P("a"), out=P("a"))(x)
        per_shard(lambda q: lax.fori_loop(0, 3, lambda _, a: a + lax.psum(a, "a"), q), P("a"), out=P("a"))(x)
        sharded(x, "a", on=(3, 1))
        sharded(x + 1, "a", None, on=(1, 4)) @ z
        sharded(jr.normal(jr.key(seed), (4, 4)), "a", "b", on=(2, 2))
        """,
    "symbolic shapes": """
        jnp.sin(x)  # n, 4
        x @ z  # n, 4; 4, m
        jnp.sum(x, axis=0)  # n, 4
        x - x.mean(axis=0, keepdims=True)  # n, m
        nn.softmax(x)  # n, m
        x.reshape(-1)  # n, m
        jnp.concatenate([x, y])  # n, 4; n, 4
        jnp.cumsum(v)  # n
        jnp.arange(x.shape[0]) + x[:, 0]  # n, 4
        jnp.sort(v)  # n
        x[1:]  # n, 4
        jnp.pad(x, 1)  # n, 4
        x.T @ y  # n, 4; n, 4
        jnp.tile(w, (x.shape[0], 1)) + x  # m, n; n
        lax.scan(lambda a, e: (a + e, a * e), s, v)[1]  # n;
        lax.fori_loop(0, v.shape[0], lambda n, a: a.at[n].add(n), v)  # n
        jnp.einsum("ij,kj->ik", x, y)  # n, 4; m, 4
        jnp.mean(image, axis=(1, 2))  # n, 8, 8, 3
        jr.uniform(jr.key(0), x.shape)  # n, 4
        v[::-1]  # n
        lax.scan(lambda a, e: (a + e, a), x[0], x)[1]  # n, m
        lax.map(lambda a: a.sum(), x)  # n, m
        lax.fori_loop(0, x.shape[0], lambda n, a: a + x[n], jnp.zeros(x.shape[1]))  # n, m
        jnp.linalg.cholesky(spd)  # n, n
        jnp.linalg.inv(m)  # n, n
        """,
}  # fmt: skip


class program:
    def __init__(self, group, line):
        self.group = group
        self.line, _, self.shapes = (part.strip() for part in line.partition("  # "))
        code = compile(self.line, "<program>", "eval")
        # Names within nested lambdas count too.
        self.arguments = [name for name in INPUTS if name in names_of(code)]
        self.function = lambda *values: eval(code, {**globals(), **dict(zip(self.arguments, values))})  # noqa: S307

    def export(self, values):
        """The text, and what JAX computes."""
        jitted = jax.jit(self.function, keep_unused=True)
        if self.group != "symbolic shapes":
            return jitted.lower(*values).as_text(), jitted(*values)
        scope = jax.export.SymbolicScope()
        shapes = [part.strip() for part in self.shapes.split(";")]
        specs = [
            jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape, scope=scope), value.dtype)
            for shape, value in zip(shapes, values, strict=True)
        ]
        return jax.export.export(jitted)(*specs).mlir_module(), jitted(*values)


def names_of(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= names_of(constant)
    return names


# Of the largest magnitude: what the order of a sum and the conditioning of these inputs allow.
TOLERANCE = dict(float32=5e-5, complex64=5e-5, float64=1e-11, bfloat16=2e-2, float16=3e-3)


def difference(got, want):
    """What differs, in words; empty where nothing does."""
    if got.dtype != want.dtype and want.dtype.isbuiltin != 1 and got.dtype.itemsize == want.dtype.itemsize:
        got = got.view(want.dtype)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)} in place of {want.dtype}{list(want.shape)}"
    tolerance = TOLERANCE.get(str(want.dtype))
    if tolerance is None:
        wrong = int(np.sum(got != want))
        return f"{wrong} of {want.size} elements differ" if wrong else ""
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    got, want = got.astype(wide), want.astype(wide)
    finite = np.isfinite(want)
    if not np.array_equal(np.isfinite(got), finite) or not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return "infinities or NaN at other places"
    largest = max(np.max(np.abs(want[finite]), initial=0), 1.0)
    most = np.max(np.abs(got[finite] - want[finite]), initial=0)
    return f"differs by {most:.1e}" if most > tolerance * largest else ""


def run(tenon_run, each, folder):
    """Empty where the program passes, otherwise why it does not."""
    values = [INPUTS[name] for name in each.arguments]
    try:
        text, results = each.export(values)
    except Exception as error:  # JAX itself cannot.
        return f"JAX: {type(error).__name__}: {str(error).splitlines()[0]}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.mlir").write_text(f"// {each.line}\n{text}")
    files = []
    for name, value in zip(each.arguments, values):
        files.append(folder / f"{name}.npy")
        np.save(files[-1], value)
    words = [tenon_run, "--output", folder / "result", folder / "model.mlir", *files]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "did not end within 60 s"
    if done.returncode != 0:
        return f"{done.stderr.strip() or done.returncode}".replace(f"{folder}/", "")
    for place, want in enumerate(jax.tree.leaves(results)):
        path = folder / f"result{place}.npy"
        if not path.exists():
            return f"result {place} is missing"
        if message := difference(np.load(path), np.asarray(want)):
            return f"result {place}: {message}"
    return ""


def page_of(results):
    groups = {}
    for each, message in results:
        groups.setdefault(each.group, []).append((each, message))
    passed = sum(not message for _, message in results)
    lines = [
        "# Programs from JAX",
        "",
        f"{passed} of {len(results)} programs of one line agree with JAX {jax.__version__} on a CPU: exported, run by `tenon-run`,",
        f"compared element by element. Written by `tests/jax/one_liners.py`, {datetime.date.today()}.",
        "",
        "| part of JAX | programs | pass |",
        "|---|--:|--:|",
    ]
    for group, members in groups.items():
        lines.append(f"| {group} | {len(members)} | {sum(not message for _, message in members)} |")
    failed = [(each, message) for each, message in results if message]
    if failed:
        lines += ["", "What does not:", "", "| program | what happens |", "|---|---|"]
        for each, message in failed:
            cells = each.line.replace("|", "\\|"), message.splitlines()[0].replace("|", "\\|")
            lines.append(f"| `{cells[0]}` | {cells[1]} |")
    return "\n".join(lines) + "\n"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tenon_run", type=pathlib.Path)
    words.add_argument("--page", type=pathlib.Path)
    words.add_argument("--keep", type=pathlib.Path, help="where texts, arguments and results are left")
    words.add_argument("--only", default="", help="programs and groups with this word alone")
    chosen = words.parse_args()
    temporary = tempfile.TemporaryDirectory()
    folder = chosen.keep or pathlib.Path(temporary.name)
    results = []
    for group, lines in PROGRAMS.items():
        for line in filter(None, map(str.strip, lines.splitlines())):
            each = program(group, line)
            if chosen.only not in group and chosen.only not in line:
                continue
            message = run(chosen.tenon_run.resolve(), each, folder / str(len(results)))
            results.append((each, message))
            if message:
                print(f"{len(results) - 1}: {each.line}\n    {message}", flush=True)
    passed = sum(not message for _, message in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    if chosen.page:
        chosen.page.write_text(page_of(results))
    return 0 if passed >= 0.99 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
