"""The colour of boxes, by their saturated pixels."""

import cv2
import numpy as np

from sentrack.vision.clip import Floats
from sentrack.vision.scan.video import Image

POINTS = 12  # rows and columns of points at which a box is looked at
MIDDLE = 0.6  # part of a box's width and height looked at: its border shows the background
PALE = 0.2  # saturation below which a hue means little ...
DARK = 0.2  # ... and value below which it means as little
DOUBT = 1e-3  # weight of pale and dark pixels: they give the hue only if there are no others
BINS = 36  # of hue
SAME_COLOUR_BINS = 2  # bins to either side that are the same colour
SHARE = 0.2  # part of the points from which on a colour is that of the box
LEAST_DIVISOR = 1e-9  # in place of nothing, where it divides


def colours(image: Image, boxes: Floats) -> Floats:
    """(N, 3) hue in degrees, saturation and value in 0..1; NaN where a box is not visible.

    The hue is the mean around the most frequent one: the mean of all would make red and green
    yellow. Saturation and value are those of the points of that hue if they are many enough, for a
    red shirt over black trousers is red; else those of all points: black, white or grey.

    Args:
        image: (height, width, 3) blue, green, red.
        boxes: (N, 4) x1 y1 x2 y2, in pixels.
    """
    N, size = len(boxes), np.array(image.shape[1::-1])
    if N == 0:
        return np.empty((0, 3))
    visible = np.clip(boxes.reshape(-1, 2, 2), 0, size)
    centre, reach = visible.mean(axis=1), MIDDLE * np.diff(visible, axis=1)[:, 0] / 2
    # Points rather than all pixels: large boxes and large pictures cost no more than small ones.
    steps = (np.arange(POINTS)[:, None] + 0.5) * 2 / POINTS - 1
    at = np.minimum(centre[:, None] + steps * reach[:, None], size - 1).astype(np.int64)
    points = image[at[:, :, None, 1], at[:, None, :, 0]].reshape(N, -1, 3)
    hsv = cv2.cvtColor(points.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    hue, saturation, value = np.ascontiguousarray(np.moveaxis(hsv, 2, 0))

    vivid = (saturation >= PALE) & (value >= DARK)
    chroma = saturation * value
    weight = np.where(vivid, chroma, DOUBT * chroma)
    bins = (hue * (BINS / 360)).astype(np.int64) % BINS
    row = np.arange(N)[:, None]
    sums = np.bincount((row * BINS + bins).ravel(), weight.ravel(), N * BINS).reshape(N, BINS)
    around = np.sum(
        [np.roll(sums, k, axis=1) for k in range(-SAME_COLOUR_BINS, SAME_COLOUR_BINS + 1)], axis=0
    )
    mode = around.argmax(axis=1)[:, None]
    same = (bins - mode + SAME_COLOUR_BINS) % BINS <= 2 * SAME_COLOUR_BINS
    middle = (mode + 0.5) * (360 / BINS)
    beside = (hue - middle + 180) % 360 - 180
    weight *= same
    shift = (weight * beside).sum(axis=1) / np.maximum(weight.sum(axis=1), LEAST_DIVISOR)
    chosen = same & vivid
    chosen[chosen.mean(axis=1) < SHARE] = True
    light = (value * chosen).sum(axis=1)
    answer = np.empty((N, 3))
    answer[:, 0] = (middle[:, 0] + shift) % 360
    # Not the mean of the saturations: that of what is nearly black is noise.
    answer[:, 1] = (chroma * chosen).sum(axis=1) / np.maximum(light, LEAST_DIVISOR)
    answer[:, 2] = light / chosen.sum(axis=1)
    answer[(reach <= 0).any(axis=1)] = np.nan
    return answer
