package model

import (
	"testing"
)

// The tables of this file were printed by scikit-learn 1.2.1:
//
//	import numpy as np
//	from sklearn.naive_bayes import MultinomialNB, BernoulliNB
//	X = np.array([[2, 1, 0, 0, 3], [1, 0, 0, 2, 0], [0, 4, 1, 0, 0],
//	              [0, 0, 1, 1, 0], [0, 0, 2, 0, 5], [1, 0, 0, 0, 1]])
//	y = np.array([0, 0, 1, 1, 2, 0])
//	x = np.array([[3, 0, 1, 0, 2], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]])
//	for model in MultinomialNB, BernoulliNB:
//	    for alpha in .01, .1, 1:
//	        for prior in None, [4/9, 3/9, 2/9]:  # (D_c + 1)/(D + C)
//	            m = model(alpha=alpha, fit_prior=False, class_prior=prior).fit(X, y)
//	            print(model.__name__, alpha, prior)
//	            for row in m.predict_joint_log_proba(x):
//	                print("{" + ", ".join(map(repr, row.tolist())) + "},")

// sklearnCounts are the documents of X and y.
func sklearnCounts() *counts {
	return countDocuments([]string{"0", "1", "2"},
		doc(0, "a a b e e e"), doc(0, "a d d"), doc(1, "b b b b c"),
		doc(1, "c d"), doc(2, "c c e e e e e"), doc(0, "a e"))
}

// sklearnDocs are the documents of x.
func sklearnDocs() []document {
	return []document{doc(0, "a a a c e e"), doc(0, "b"), doc(0, "")}
}

// sklearnCase holds predict_joint_log_proba of the documents of x.
type sklearnCase struct {
	alpha   float64
	prior   bool // whether the prior is added; otherwise it is 1/3
	logProb [][]float64
}

var sklearnMultinomial = []sklearnCase{
	{0.01, false, [][]float64{
		{-13.17440883584638, -35.14449419748264, -22.71128199531292},
		{-3.4910923857787033, -1.662848664173809, -7.656810091480377},
		{-1.0986122886681096, -1.0986122886681096, -1.0986122886681096},
	}},
	{0.01, true, [][]float64{
		{-12.8867267633946, -35.14449419748264, -23.116747103421083},
		{-3.2034103133269225, -1.6628486641738092, -8.062275199588543},
		{-0.8109302162163288, -1.0986122886681098, -1.5040773967762742},
	}},
	{0.1, false, [][]float64{
		{-11.00034472532607, -23.95901853216255, -16.095367266713897},
		{-3.445649144232989, -1.7025283355001122, -5.416100402204419},
		{-1.0986122886681096, -1.0986122886681096, -1.0986122886681096},
	}},
	{0.1, true, [][]float64{
		{-10.71266265287429, -23.95901853216255, -16.50083237482206},
		{-3.1579670717812083, -1.7025283355001124, -5.821565510312585},
		{-0.8109302162163288, -1.0986122886681098, -1.5040773967762742},
	}},
	{1, false, [][]float64{
		{-9.686955059936295, -14.909439898728001, -11.325920960271892},
		{-3.1780538303479453, -1.9740810260220096, -3.58351893845611},
		{-1.0986122886681096, -1.0986122886681096, -1.0986122886681096},
	}},
	{1, true, [][]float64{
		{-9.399272987484515, -14.909439898728001, -11.731386068380058},
		{-2.8903717578961645, -1.9740810260220099, -3.9889840465642745},
		{-0.8109302162163288, -1.0986122886681098, -1.5040773967762742},
	}},
}

var sklearnBernoulli = []sklearnCase{
	{0.01, false, [][]float64{
		{-8.033722386616354, -13.106404833932539, -5.7629942877244265},
		{-9.410091169051983, -7.803099925873463, -14.993235321406951},
		{-8.721906777834166, -7.803099925873463, -10.378114804565692},
	}},
	{0.01, true, [][]float64{
		{-7.746040314164574, -13.106404833932539, -6.168459395832592},
		{-9.122409096600203, -7.803099925873463, -15.398700429515117},
		{-8.434224705382386, -7.803099925873463, -10.783579912673858},
	}},
	{0.1, false, [][]float64{
		{-5.8597372850113265, -8.713511572139524, -3.931564446414629},
		{-7.152991614861435, -5.668989134416099, -8.727354992011373},
		{-6.506364449936383, -5.668989134416099, -6.329459719213002},
	}},
	{0.1, true, [][]float64{
		{-5.572055212559547, -8.713511572139526, -4.337029554522793},
		{-6.865309542409655, -5.6689891344161, -9.132820100119536},
		{-6.218682377484603, -5.6689891344161, -6.734924827321166},
	}},
	{1, false, [][]float64{
		{-4.463670623714392, -5.545177444479561, -3.8190850097688767},
		{-5.274600839930721, -4.446565155811452, -5.205379370888768},
		{-4.869135731822556, -4.446565155811452, -4.512232190328823},
	}},
	{1, true, [][]float64{
		{-4.17598855126261, -5.545177444479563, -4.224550117877041},
		{-4.986918767478939, -4.446565155811453, -5.610844478996933},
		{-4.581453659370775, -4.446565155811453, -4.9176972984369876},
	}},
}

func TestSklearnMultinomial(t *testing.T) {
	t.Parallel()
	for _, c := range sklearnMultinomial {
		testSklearn(t, Multinomial{Alpha: c.alpha}, c)
	}
}

func TestSklearnBernoulli(t *testing.T) {
	t.Parallel()
	for _, c := range sklearnBernoulli {
		testSklearn(t, Bernoulli{Yes: c.alpha, No: c.alpha}, c)
	}
}

func testSklearn(t *testing.T, m EventModel, want sklearnCase) {
	t.Helper()
	k := sklearnCounts()
	prior := []float64{logThird, logThird, logThird}
	if want.prior {
		prior = priorOf(k.totals())
	}
	for i, d := range sklearnDocs() {
		got := k.scores(m, d)
		for c := range got {
			if got := got[c] + prior[c]; !near(got, want.logProb[i][c], 1e-12) {
				t.Errorf("%s α=%v, document %d, class %d: %v, want %v", m.Name(), want.alpha, i, c, got, want.logProb[i][c])
			}
		}
	}
}

const logThird = -1.0986122886681098
